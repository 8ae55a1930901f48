import { openPlatform } from "../apps/server/src/platform/open-platform.ts";
import { readSettings } from "../apps/server/src/platform/settings/read-settings.ts";
import { findStoreFaults } from "./store/find-store-faults.ts";

/** `npm run verify-store`: the invariants of ARCHITECTURE.md on the service that the settings name, running or not. Exit code 1 when one is broken. */
const { platform, close } = await openPlatform(readSettings(process.env, process.cwd()));
try {
  const faults = await findStoreFaults(platform);
  for (const { invariant, subject, what } of faults) console.error(`invariant ${invariant}: ${subject}: ${what}`);
  console.log(faults.length === 0 ? "every invariant holds" : `${faults.length} broken`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await close();
}
