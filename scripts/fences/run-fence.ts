import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { listFiles } from "./list-files.ts";

/** What a check found wrong, a line each, and how much it read. */
type Findings = { readonly faults: readonly string[]; readonly summary: string };

const TABLE = "docs/reference/specification.md";
const SPECIFICATION = "../shared/spec/specification.md";

/** The steps of `npm run check` by name; each loads its own tools. */
const FENCES: Readonly<Record<string, (paths: readonly string[]) => Promise<Findings>>> = {
  async imports(paths) {
    const { findImportViolations } = await import("./import-law.ts");
    const { writeParts } = await import("../generate-docs.ts");
    const { violations, moduleCount, result } = await findImportViolations(root);
    const sources = paths.filter((path) => /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(path));
    const stale = await writeParts(result, { check: true });
    return {
      faults: [
        ...violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`),
        ...(moduleCount < sources.length
          ? [`only ${moduleCount} modules of ${sources.length} files: @swc/core is missing`]
          : []),
        ...stale.map(({ path, name }) => `${path}: ${name} is stale; run npm run docs:graph`),
      ],
      summary: `${moduleCount} modules, ${violations.length} forbidden imports`,
    };
  },
  async text(paths) {
    const { findTextViolations } = await import("./text-rules.ts");
    // The fences' own files quote what they forbid.
    const read = paths.filter((path) => !path.startsWith("scripts/fences/"));
    const violations = await findTextViolations(root, read);
    return {
      faults: violations.map(({ rule, why, path, line }) => `${rule}: ${path}:${line}: ${why}`),
      summary: `${read.length} files`,
    };
  },
  async french(paths) {
    const { findBadSentences, findFrenchViolations, findMissingStrings } = await import(
      "./find-french-violations.ts"
    );
    const violations = await findFrenchViolations(root, paths);
    const missing = await findMissingStrings(root, paths);
    return {
      faults: [
        ...violations.map(({ path, line, text, why }) => `${path}:${line}: ${why}: ${text}`),
        ...missing.product.map((words) => `no source has the specification's string: ${words}`),
        ...missing.tests.map((words) => `no test quotes the specification's string: ${words}`),
        ...findBadSentences().map((code) => `problem ${code} has no proper sentence`),
      ],
      summary: "typography, strings of the specification, sentences of problems",
    };
  },
  async links(paths) {
    const { findDeadLinks, partsWithoutRow } = await import("./find-dead-links.ts");
    const documents = paths.filter((path) => path.endsWith(".md"));
    const { links, dead } = await findDeadLinks(root, documents);
    const missing = existsSync(SPECIFICATION)
      ? partsWithoutRow(await readFile(SPECIFICATION, "utf8"), await readFile(TABLE, "utf8"))
      : [];
    return {
      faults: [
        ...dead.map((link) => `leads nowhere: ${link}`),
        ...missing.map((part) => `${TABLE} has no row of the specification's part: ${part}`),
      ],
      summary: `${documents.length} documents, ${links} links`,
    };
  },
};

const root = process.cwd();
const fence = FENCES[process.argv[2] ?? ""];
if (fence === undefined) throw new Error(`Expected one of: ${Object.keys(FENCES).join(", ")}`);
const { faults, summary } = await fence(await listFiles(root));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
console.log(`${summary}: ${faults.length} faults`);
