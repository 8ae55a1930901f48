import { connectDatabase, type Database } from "../../server/src/platform/database/database.ts";
import { assertWorksOn, compareMigrations, ranMigrations } from "../../server/src/platform/database/migrate-database.ts";
import { createLog } from "../../server/src/platform/logs/create-log.ts";
import { openDatabaseServer } from "../../server/src/platform/open-platform.ts";
import type { Settings } from "../../server/src/platform/settings/settings.ts";
import { CommandFault } from "./command-fault.ts";

/** `url`: of the tables' owner, direct. */
export type OpenDatabase = { readonly db: Database; readonly url: string; readonly migrations: readonly string[] };

/**
 * Works on the service's database as it is: nothing is migrated.
 * Errors: `SettingsError` where a newer version migrated it, `CommandFault` where no service ever started.
 */
export async function onDatabase<T>(settings: Settings, work: (opened: OpenDatabase) => Promise<T>): Promise<T> {
  const { url, leave } = await openDatabaseServer(settings, createLog(undefined, settings.logLevel));
  const db = connectDatabase(url, { maxConnections: 8 });
  try {
    const migrations = await ranMigrations(db);
    if (migrations.length === 0)
      throw new CommandFault("Cette base est vide\u00a0: aucun service n’y a encore démarré. Vérifiez DATA_DIR ou DATABASE_URL.");
    assertWorksOn(await compareMigrations(migrations));
    return await work({ db, url, migrations });
  } finally {
    await db.destroy();
    await leave();
  }
}
