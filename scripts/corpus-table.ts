import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingCorpus } from "../packages/pades/interop/corpus.ts";
import { judgeCorpus } from "../packages/pades/interop/judge-corpus.ts";
import { openDss, openPyHanko } from "../packages/pades/interop/judge-process.ts";
import { KNOWN_REMARKS } from "../packages/pades/interop/known-remarks.ts";
import { renderCorpus } from "../packages/pades/interop/render-corpus.ts";
import { installInteropTools } from "./install-interop-tools.ts";
import { installTestTools } from "./install-test-tools.ts";

/** `npm run corpus`: signs every file of the corpus, asks every validator, prints the table and writes `docs/reference/corpus.md`. */
const root = process.cwd();
const missing = [...installTestTools(), ...installInteropTools(root)];
for (const { program, why } of missing) console.error(`${program} is missing: ${why}`);
if (missingCorpus) console.error(missingCorpus);
if (missing.length > 0 || missingCorpus) process.exit(1);

const folder = await mkdtemp(join(tmpdir(), "pades-corpus-"));
const judges = { dss: openDss(), pyHanko: openPyHanko() };
try {
  const rows = await judgeCorpus(judges, folder);
  const table = renderCorpus(rows);
  console.log(table);
  await writeFile(join(root, "docs/reference/corpus.md"), table);
  for (const { file, outcome, reason, seconds, complaints } of rows) {
    if (outcome === "crash" || seconds > 10) console.error(`${file}: ${reason} (${seconds.toFixed(1)} s)`);
    for (const [validator, found] of Object.entries(complaints ?? {})) {
      if (found.length > 0) console.error(`${file}: ${validator}: ${found.join(" / ")}`);
      if (found.length > 0 && KNOWN_REMARKS[file]?.validator !== validator) process.exitCode = 1;
    }
    if (outcome === "crash" || seconds > 10) process.exitCode = 1;
  }
} finally {
  judges.dss.close();
  judges.pyHanko.close();
  await rm(folder, { recursive: true, force: true });
}
