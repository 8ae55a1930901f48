import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { BAD_SETTING_EXIT_CODE, SettingsError } from "../apps/server/src/platform/settings/settings.ts";
import { runAudit } from "./audit/run-audit.ts";
import { writeAnswer } from "./terminal-line.ts";

/** `npm run audit -- check`: everything that was kept, held against its own proofs, on the service that the settings name, running or not. */
try {
  const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
  try {
    writeAnswer(await runAudit(platform, process.argv.slice(2)));
  } finally {
    await close();
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = BAD_SETTING_EXIT_CODE;
}
