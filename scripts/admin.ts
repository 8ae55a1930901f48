import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { BAD_SETTING_EXIT_CODE, SettingsError } from "../apps/server/src/platform/settings/settings.ts";
import { runAdmin } from "./admin/run-admin.ts";

/** `npm run admin -- <command>`: who may have an account, on the service that the settings name, running or not. */
try {
  const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
  try {
    const { lines, code } = await runAdmin(platform, process.argv.slice(2));
    for (const line of lines) (code === 0 ? process.stdout : process.stderr).write(`${line}\n`);
    process.exitCode = code;
  } finally {
    await close();
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = BAD_SETTING_EXIT_CODE;
}
