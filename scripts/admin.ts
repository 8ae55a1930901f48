import { runAdmin } from "./admin/run-admin.ts";
import { onService, writeOutcome } from "./on-service.ts";

/** `npm run admin -- <command>`: who may have an account, on the service that the settings name, running or not. */
await onService(async (platform) => writeOutcome(await runAdmin(platform, process.argv.slice(2))));
