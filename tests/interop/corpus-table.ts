import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { looksComplaints } from "../../apps/server/testing/render-pdf.ts";
import {
  CORPUS,
  corpusNames,
  faultsOf,
  renderCorpus,
  validateCorpus,
} from "../../packages/pades/interop/validate-corpus.ts";
import { openDss, openPyHanko } from "../../packages/pades/interop/validators.ts";
import { installInteropTools } from "../run/install-interop-tools.ts";
import { installTestTools } from "../run/install-test-tools.ts";

/**
 * `npm run corpus -- <folder>`: signs every PDF of a folder, asks every validator and prints a
 * table; faults go to stderr and fail it. Without a folder: the project's corpus.
 */
const root = process.cwd();
const [given] = process.argv.slice(2);
const corpus = given === undefined ? CORPUS : resolve(given);
const missing = (await Promise.all([installTestTools(), installInteropTools(root)])).flat();
for (const { program, why } of missing) console.error(`${program} is missing: ${why}`);
if (!existsSync(corpus)) console.error(`${corpus} is not there`);
if (missing.length > 0 || !existsSync(corpus)) process.exit(1);

const folder = await mkdtemp(join(tmpdir(), "pades-corpus-"));
const judges = { dss: openDss(), pyHanko: openPyHanko(), compareLooks: looksComplaints };
try {
  const files = given === undefined ? corpusNames(corpus, ["made", "public"]) : corpusNames(corpus);
  const rows = await validateCorpus(judges, { corpus, files, folder });
  const table = renderCorpus(rows);
  console.log(table);
  for (const row of rows) {
    for (const fault of faultsOf(row)) {
      console.error(`${row.file}: ${fault}`);
      process.exitCode = 1;
    }
  }
} finally {
  judges.dss.close();
  judges.pyHanko.close();
  await rm(folder, { recursive: true, force: true });
}
