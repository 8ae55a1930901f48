import { promises as fs } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { FileMigrationProvider, Migrator } from "kysely/migration";
import { SettingsError } from "../settings/settings.ts";
import type { Database } from "./database.ts";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../../migrations", import.meta.url));
/** Any fixed number: one migration at a time, whatever the number of processes that start together. */
const MIGRATION_LOCK = 7_372_001;
/** `0091-drop-old-title-after-0085`: only a version that knows migration 0085 works on what this one leaves (ADR 0023). */
const AFTER = /-after-(\d{4})$/;

/**
 * Brings the schema up to date, once: several processes may call it at the same time. Gives the names of the migrations it ran.
 * A schema that a newer version migrated is left as it is, where that version says that this one works on it.
 * Errors: `SettingsError` where it does not.
 */
export async function migrateDatabase(db: Database, folder = MIGRATIONS_FOLDER): Promise<readonly string[]> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    try {
      const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder });
      const known = Object.keys(await provider.getMigrations()).toSorted();
      const ran = await ranMigrations(connection);
      const newer = ran.filter((name) => !known.includes(name));
      if (newer.length > 0) {
        assertWorksOn({ known, ran, newer });
        return [];
      }
      const { error, results } = await new Migrator({ db: connection, provider }).migrateToLatest();
      if (error) throw new Error("The database could not be migrated", { cause: error });
      return (results ?? []).map((result) => result.migrationName);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    }
  });
}

/** Of any version, as Kysely keeps them. */
async function ranMigrations(connection: Database): Promise<readonly string[]> {
  const table = await sql`select where to_regclass('kysely_migration') is not null`.execute(connection);
  if (table.rows.length === 0) return [];
  return (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(connection)).rows.map(({ name }) => name);
}

type Versions = { readonly known: readonly string[]; readonly ran: readonly string[]; readonly newer: readonly string[] };

function assertWorksOn({ known, ran, newer }: Versions): void {
  const latest = known.at(-1)?.slice(0, 4) ?? "";
  const breaking = newer.find((name) => (AFTER.exec(name)?.[1] ?? "") > latest);
  // One that this version alone knows: of another line of versions.
  const foreign = known.every((name) => ran.includes(name)) ? undefined : newer[0];
  const refusing = breaking ?? foreign;
  if (refusing === undefined) return;
  throw new SettingsError(
    `Démarrage impossible\u00a0: une version plus récente de Paraphe a migré cette base (${refusing}), celle-ci ne sait plus y travailler. Exemple\u00a0: démarrer la version récente, ou restaurer la sauvegarde d’avant`,
  );
}
