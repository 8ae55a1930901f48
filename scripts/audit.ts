import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { startFault } from "../apps/server/src/start-fault.ts";
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
  const fault = startFault(error);
  if (fault === null) throw error;
  process.stderr.write(`${fault.line}\n`);
  process.exitCode = fault.exitCode;
}
