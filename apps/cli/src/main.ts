import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { faultOf, writeOutcome } from "./outcome.ts";
import { runParaphe } from "./run-paraphe.ts";

/** A `CommandFault` or `SettingsError` is one French line. */
process.title = "paraphe-cli";
enableCompileCache(join(import.meta.dirname, "../../../.cache/node"));
// The reader may stop early: `paraphe log … | head`.
process.stdout.on("error", () => process.exit());
try {
  const { outcome, isReport } = await runParaphe(process.argv.slice(2), process.env);
  writeOutcome(outcome, { isReport });
} catch (error) {
  const { line, code } = faultOf(error);
  process.stderr.write(`${line}\n`);
  process.exitCode = code;
}
