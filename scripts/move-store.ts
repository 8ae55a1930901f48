import { setTimeout as sleep } from "node:timers/promises";
import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { startFault } from "../apps/server/src/start-fault.ts";
import { runMoveStore } from "./store/run-move-store.ts";

/** `npm run move-store -- <from> <to>`: brings every file of the service that the settings name from one store into another, while it runs. */
try {
  const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
  try {
    const { lines, code } = await runMoveStore(platform, process.argv.slice(2), {
      environment: process.env,
      wait: sleep,
      progress: (line) => process.stderr.write(`${line}\n`),
    });
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
