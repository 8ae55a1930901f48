import { openPlatform } from "../../server/src/platform/open-platform.ts";
import type { Platform } from "../../server/src/platform/platform.ts";
import { readSettings } from "../../server/src/platform/settings/read-settings.ts";

/** Runs a command on the service that the settings name, running or not. */
export async function onService<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
  return work(platform).finally(close);
}
