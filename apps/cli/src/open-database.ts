import { stat } from "node:fs/promises";
import { join } from "node:path";
import { connectDatabase, type Database } from "../../server/src/platform/database/database.ts";
import {
  assertWorksOn,
  compareMigrations,
  ranMigrations,
} from "../../server/src/platform/database/migrate-database.ts";
import { createLog } from "../../server/src/platform/logs/log.ts";
import { openDatabaseServer } from "../../server/src/platform/open-platform.ts";
import type { Settings } from "../../server/src/platform/settings/settings.ts";
import { CommandFault } from "./outcome.ts";

/** `url`: direct, the owner's. `migrations`: applied. */
export type OpenDatabase = {
  readonly db: Database;
  readonly url: string;
  readonly migrations: readonly string[];
};

/**
 * Neither creates nor migrates it.
 * Errors: `SettingsError` after a newer version's migration, `CommandFault` where no service ever
 * started.
 */
export async function onDatabase<T>(
  settings: Settings,
  work: (opened: OpenDatabase) => Promise<T>,
): Promise<T> {
  return onAnyDatabase(settings, async (opened) => {
    if (opened === null) throw new CommandFault(noService(settings));
    assertWorksOn(await compareMigrations(opened.migrations));
    return work(opened);
  });
}

/** Opens a database of any version; null where no service ever started. */
export async function onAnyDatabase<T>(
  settings: Settings,
  work: (opened: OpenDatabase | null) => Promise<T>,
): Promise<T> {
  if (
    settings.database.kind === "embedded" &&
    !(await isThere(join(settings.database.dataDir, "db")))
  )
    return work(null);
  const { url, leave } = await openDatabaseServer(
    settings,
    createLog(undefined, settings.logLevel),
  );
  const db = connectDatabase(url, { maxConnections: 8 });
  try {
    const migrations = await ranMigrations(db);
    return await work(migrations.length === 0 ? null : { db, url, migrations });
  } finally {
    await db.destroy();
    await leave();
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}

function noService({ database }: Settings): string {
  return database.kind === "embedded"
    ? `Aucun service n’a encore démarré dans ${database.dataDir}\u00a0: vérifiez DATA_DIR.`
    : "Aucun service n’a encore démarré sur cette base\u00a0: vérifiez DATABASE_URL.";
}
