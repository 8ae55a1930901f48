import { promises as fs } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { FileMigrationProvider, Migrator } from "kysely/migration";
import { MAILBOX_DAYS, THROTTLE_DAYS } from "@paraphe/contracts";
import { SettingsError } from "../settings/settings.ts";
import type { Database } from "./database.ts";
import { IDEMPOTENCY_WINDOW_MS } from "../http/idempotency.ts";
import { sweepIdempotencyKeys } from "../idempotency/store.ts";
import { sweepMailbox } from "../mailbox/store.ts";
import type { Platform } from "../platform.ts";
import { sweepThrottles } from "../throttle/throttle.ts";

const LEAST_POSTGRES = 15;

/** Errors: `SettingsError` below it. */
export async function checkServerVersion(db: Database): Promise<void> {
  const { rows } = await sql<{
    version: number;
  }>`select current_setting('server_version_num')::int as version`.execute(db);
  const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (major >= LEAST_POSTGRES) return;
  throw new SettingsError(
    `Démarrage impossible\u00a0: DATABASE_URL mène à PostgreSQL ${major}, il faut la version ${LEAST_POSTGRES} ou une plus récente. Exemple\u00a0: DATABASE_URL=postgres://paraphe:motdepasse@localhost:5432/paraphe`,
  );
}

const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../../migrations", import.meta.url));
const MIGRATION_LOCK = 7_372_001;
/** `0091-drop-old-title-after-0085` works with versions that have 0085 (ADR 0023). */
const AFTER = /-after-(\d{4})$/;

/**
 * Runs once, in any number of processes; gives the migrations it ran. A newer schema stays where
 * its version allows this one.
 * Errors: `SettingsError` where it does not.
 */
export async function migrateDatabase(
  db: Database,
  folder = MIGRATIONS_FOLDER,
): Promise<readonly string[]> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    try {
      const { newer } = assertWorksOn(
        await compareMigrations(await ranMigrations(connection), folder),
      );
      if (newer.length > 0) return [];
      const { error, results } = await new Migrator({
        db: connection,
        provider: providerOf(folder),
      }).migrateToLatest();
      if (error) throw new Error("The database could not be migrated", { cause: error });
      return (results ?? []).map((result) => result.migrationName);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    }
  });
}

const providerOf = (folder: string) =>
  new FileMigrationProvider({ fs, path, migrationFolder: folder });

/** Includes those of newer versions; none before the first start. */
export async function ranMigrations(connection: Database): Promise<readonly string[]> {
  const table = await sql`select where to_regclass('kysely_migration') is not null`.execute(
    connection,
  );
  if (table.rows.length === 0) return [];
  return (
    await sql<{ name: string }>`select name from kysely_migration order by name`.execute(connection)
  ).rows.map(({ name }) => name);
}

/**
 * Migrations to run (`waiting`), of a newer version (`newer`), and which of those excludes this
 * version (`refusing`; ADR 0023).
 */
type MigrationState = {
  readonly waiting: readonly string[];
  readonly newer: readonly string[];
  readonly refusing: string | null;
};

export async function compareMigrations(
  ran: readonly string[],
  folder = MIGRATIONS_FOLDER,
): Promise<MigrationState> {
  const known = Object.keys(await providerOf(folder).getMigrations()).toSorted();
  const newer = ran.filter((name) => !known.includes(name));
  const waiting = known.filter((name) => !ran.includes(name));
  const latest = known.at(-1)?.slice(0, 4) ?? "";
  const breaking = newer.find((name) => (afterOf(name) ?? "") > latest);
  // Each has one that the other lacks: two lines of versions.
  const foreign = waiting.length > 0 ? newer[0] : undefined;
  return { waiting, newer, refusing: breaking ?? foreign ?? null };
}

/** Gives what a version must have to work after this migration; null: any does. */
export function afterOf(name: string): string | null {
  return AFTER.exec(name)?.[1] ?? null;
}

/** Errors: `SettingsError` where this version cannot work. */
export function assertWorksOn(state: MigrationState): MigrationState {
  if (state.refusing === null) return state;
  throw new SettingsError(
    `Démarrage impossible\u00a0: une version plus récente de Paraphe a migré cette base (${state.refusing}), celle-ci ne sait plus y travailler. Exemple\u00a0: démarrer la version récente, ou restaurer la sauvegarde d’avant`,
  );
}

const DAY_MS = 24 * 3_600_000;

export function registerMaintenanceJobs(platform: Platform): void {
  platform.queue.schedule("platform.sweep", "17 * * * *", () => sweepPlatform(platform));
  platform.queue.schedule("platform.partitions", "9 4 2 * *", () => makePartitions(platform.db));
}

export async function sweepPlatform(platform: Platform): Promise<void> {
  const now = platform.clock().getTime();
  await sweepIdempotencyKeys(platform.db, new Date(now - IDEMPOTENCY_WINDOW_MS));
  await sweepMailbox(platform.db, new Date(now - MAILBOX_DAYS * DAY_MS));
  await sweepThrottles(platform.db, new Date(now - THROTTLE_DAYS * DAY_MS));
}

/** Makes this year's and next year's; the default takes the rest. */
export async function makePartitions(db: Database): Promise<void> {
  await sql`select make_partitions()`.execute(db);
}
