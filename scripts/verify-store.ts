import { onService } from "./on-service.ts";
import { describeStore } from "./store/describe-store.ts";
import { verifyStore } from "./store/find-store-faults.ts";

/**
 * `npm run verify-store`: the invariants of ARCHITECTURE.md on the service that the settings name, running or not. Exit code 1 when one is broken.
 * `-- --sweep`: files that nothing names are removed by the nightly sweep, once a day has passed.
 */
await onService(async (platform) => {
  const outcomes = await verifyStore(platform, { orphans: process.argv.includes("--sweep") ? "sweep" : "list" });
  for (const line of describeStore(outcomes)) console.log(line);
  process.exitCode = outcomes.every(({ faultCount }) => faultCount === 0) ? 0 : 1;
});
