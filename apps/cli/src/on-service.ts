import { openPlatform } from "../../server/src/platform/open-platform.ts";
import type { Platform } from "../../server/src/platform/platform.ts";
import { readSettings } from "../../server/src/platform/settings/read-settings.ts";

/** A statement may read everything. */
const STATEMENT_MS = 3_600_000;

/** Runs a command on the configured service, running or not. */
export async function onService<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env, process.cwd());
  const { platform, close } = await openPlatform({
    ...settings,
    databaseShare: { ...settings.databaseShare, statementMs: STATEMENT_MS },
  });
  return work(platform).finally(close);
}
