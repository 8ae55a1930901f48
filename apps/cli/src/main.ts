import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { faultOf, writeOutcome } from "./outcome.ts";
import { runParaphe } from "./run-paraphe.ts";

/** `paraphe <command>`: whatever keeps a command from its work for a reason that a person can mend is one French line. */
process.title = "paraphe-cli";
enableCompileCache(join(import.meta.dirname, "../../../.cache/node"));
// Whoever reads may have read enough: `paraphe log … | head`.
process.stdout.on("error", () => process.exit());
try {
  const { outcome, isReport } = await runParaphe(process.argv.slice(2));
  writeOutcome(outcome, { isReport });
} catch (error) {
  const { line, code } = faultOf(error);
  process.stderr.write(`${line}\n`);
  process.exitCode = code;
}
