import { writeAnswer } from "./terminal-line.ts";
import { runVerify } from "./verify/run-verify.ts";

/**
 * `npm run verify -- preuve.json contrat.pdf --root ca.pem`: checks a proof and its files by themselves. No service, no database, no network: it runs
 * for as long as Node does. Files are looked for where npm was called from.
 */
writeAnswer(await runVerify(process.argv.slice(2), { folder: process.env["INIT_CWD"] ?? process.cwd(), now: new Date() }));
