import { writeParts } from "./docs/write-parts.ts";
import { findImportViolations } from "./fences/import-law.ts";

/**
 * `npm run docs:graph` writes the generated parts of the documents; `npm run check` names stale
 * ones.
 */
const { result } = await findImportViolations(process.cwd());
for (const { path, name } of await writeParts(result)) console.log(`${path}: ${name} written`);
