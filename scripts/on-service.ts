import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import type { Platform } from "../apps/server/src/platform/platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { startFault } from "../apps/server/src/start-fault.ts";

/** Runs a command on the service that the settings name, running or not. One that cannot be opened is told in one line, with the exit code of a start. */
export async function onService(work: (platform: Platform) => Promise<void>): Promise<void> {
  try {
    const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
    await work(platform).finally(close);
  } catch (error) {
    const fault = startFault(error);
    if (fault === null) throw error;
    process.stderr.write(`${fault.line}\n`);
    process.exitCode = fault.exitCode;
  }
}

/** Writes what a command did to the output, or why it did nothing to the error output, and leaves its exit code. */
export function writeOutcome({ lines, code }: { readonly lines: readonly string[]; readonly code: number }): void {
  for (const line of lines) (code === 0 ? process.stdout : process.stderr).write(`${line}\n`);
  process.exitCode = code;
}
