import { runKeys } from "./keys/run-keys.ts";
import { onService, writeOutcome } from "./on-service.ts";

/** `npm run keys -- <command>`: the service's keys, on the service that the settings name, running or not. */
await onService(async (platform) => writeOutcome(await runKeys(platform, process.argv.slice(2), process.env)));
