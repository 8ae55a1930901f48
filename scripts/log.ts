import { askService } from "./log/ask-service.ts";
import { runLog } from "./log/run-log.ts";
import { writeAnswer } from "./terminal-line.ts";

/**
 * `npm run log -- garde.json [preuve.json…]`: holds a checkpoint that somebody kept against the service's public log, and proofs against that checkpoint. It needs the
 * service's public calls alone: no database, no account. Files are looked for where npm was called from.
 */
const answer = await runLog(process.argv.slice(2), {
  folder: process.env["INIT_CWD"] ?? process.cwd(),
  ask: askService,
  now: new Date(),
});
writeAnswer(answer);
