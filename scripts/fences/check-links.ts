import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { findDeadLinks, partsWithoutRow } from "./find-dead-links.ts";
import { listFiles } from "./list-files.ts";

/**
 * `npm run check links`: links between documents and files; rows of the specification's parts,
 * where it is available.
 */
const TABLE = "docs/reference/specification.md";
const SPECIFICATION = "../shared/spec/specification.md";
const root = process.cwd();
const documents = (await listFiles(root)).filter((path) => path.endsWith(".md"));
const { links, dead } = await findDeadLinks(root, documents);
for (const link of dead) console.error(`leads nowhere: ${link}`);
const missing = existsSync(SPECIFICATION)
  ? partsWithoutRow(await readFile(SPECIFICATION, "utf8"), await readFile(TABLE, "utf8"))
  : [];
for (const part of missing)
  console.error(`${TABLE} has no row of the specification's part: ${part}`);
if (dead.length + missing.length > 0) process.exitCode = 1;
console.log(`${documents.length} documents, ${links} links, ${dead.length} dead`);
