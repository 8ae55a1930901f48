import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DIFFERENCES, validateAttacks } from "../packages/pades/interop/validate-attacks.ts";
import {
  askPatiently,
  type DssVerdict,
  type PyHankoVerdict,
} from "../packages/pades/interop/validators.ts";
import { renderAttacks, writtenVerdicts } from "../packages/pades/testing/attack-table.ts";
import { installInteropTools } from "./install-interop-tools.ts";

/**
 * `npm run attacks`: asks DSS and pyHanko about the attacks and honest files of the tests that `docs/reference/attacks.md` does not have, or has with
 * another verdict of ours, and writes it anew. `npm run attacks -- all` asks about every one, which takes some ten minutes.
 */
const root = process.cwd();
/** DSS does not end on two of these files. */
const LIMIT_MS = 60_000;
const missing = await installInteropTools(root);
for (const { program, why } of missing) console.error(`${program} is missing: ${why}`);
if (missing.length > 0) process.exit(1);

/** The version that an installation pins. */
async function pinned(file: string, version: RegExp): Promise<string> {
  return (
    version.exec(await readFile(join(root, "packages/pades/interop", file), "utf8"))?.[1] ??
    "unknown"
  );
}

const asked = {
  day: new Date().toISOString().slice(0, 10),
  dss: await pinned("dss/pom.xml", /<dss\.version>([^<]+)</),
  pyHanko: await pinned("pyhanko/requirements.txt", /^pyHanko==(.+)$/m),
};
const known = process.argv.includes("all") ? new Map() : writtenVerdicts();
const judges = {
  dss: askPatiently<DssVerdict>("dss", LIMIT_MS),
  pyHanko: askPatiently<PyHankoVerdict>("pyHanko", LIMIT_MS),
};
try {
  await writeFile(
    join(root, "docs/reference/attacks.md"),
    renderAttacks(await validateAttacks(judges, known), asked, DIFFERENCES),
  );
} finally {
  judges.dss.close();
  judges.pyHanko.close();
}
