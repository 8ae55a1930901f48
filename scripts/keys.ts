import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { startFault } from "../apps/server/src/start-fault.ts";
import { runKeys } from "./keys/run-keys.ts";

/** `npm run keys -- <command>`: the service's keys, on the service that the settings name, running or not. Without a command, says what there is. */
try {
  const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
  try {
    const { lines, code } = await runKeys(platform, process.argv.slice(2), process.env);
    for (const line of lines) (code === 0 ? process.stdout : process.stderr).write(`${line}\n`);
    process.exitCode = code;
  } finally {
    await close();
  }
} catch (error) {
  const fault = startFault(error);
  if (fault === null) throw error;
  process.stderr.write(`${fault.line}\n`);
  process.exitCode = fault.exitCode;
}
