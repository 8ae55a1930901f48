import { writeParts } from "../docs/write-parts.ts";
import { findImportViolations } from "./find-import-violations.ts";
import { listFiles } from "./list-files.ts";

/** `npm run check imports`: the import law, and documents generated from imports. */
const { violations, moduleCount, result } = await findImportViolations(process.cwd());
const sources = (await listFiles(process.cwd())).filter((path) =>
  /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(path),
);
for (const { rule, from, to } of violations) console.error(`${rule}: ${from} → ${to}`);
if (moduleCount < sources.length) {
  console.error(
    `only ${moduleCount} modules seen for ${sources.length} source files: the TypeScript parser (@swc/core) is missing`,
  );
  process.exitCode = 1;
}
if (violations.length > 0) process.exitCode = 1;
for (const { path, name } of await writeParts(result, { check: true })) {
  console.error(`${path}: ${name} is stale; run npm run docs:graph`);
  process.exitCode = 1;
}
console.log(`${moduleCount} modules, ${violations.length} forbidden imports`);
