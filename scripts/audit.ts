import { runAudit } from "./audit/run-audit.ts";
import { onService } from "./on-service.ts";
import { writeAnswer } from "./terminal-line.ts";

/** `npm run audit -- check`: everything that was kept, held against its own proofs, on the service that the settings name, running or not. */
await onService(async (platform) => writeAnswer(await runAudit(platform, process.argv.slice(2))));
