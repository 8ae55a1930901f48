import { promises as fs } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { FileMigrationProvider, Migrator } from "kysely/migration";
import type { Database } from "./database.ts";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../../migrations", import.meta.url));
/** Any fixed number: one migration at a time, whatever the number of processes that start together. */
const MIGRATION_LOCK = 7_372_001;

/** Brings the schema up to date, once: several processes may call it at the same time. Gives the names of the migrations it ran. */
export async function migrateDatabase(db: Database): Promise<readonly string[]> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    try {
      const migrator = new Migrator({
        db: connection,
        provider: new FileMigrationProvider({ fs, path, migrationFolder: MIGRATIONS_FOLDER }),
      });
      const { error, results } = await migrator.migrateToLatest();
      if (error) throw new Error("The database could not be migrated", { cause: error });
      return (results ?? []).map((result) => result.migrationName);
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    }
  });
}
