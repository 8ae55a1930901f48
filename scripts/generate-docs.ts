import { readFile, writeFile } from "node:fs/promises";
import { renderModuleGraph } from "./docs/render-module-graph.ts";
import { renderProblemList } from "./docs/render-problem-list.ts";
import { renderSecurityLines } from "./docs/render-security-lines.ts";
import { renderSignatureLines } from "./docs/render-signature-lines.ts";
import { renderSpecMatrix } from "./docs/render-spec-matrix.ts";
import { listFiles } from "./fences/list-files.ts";

const productTests = (await listFiles(process.cwd())).filter((path) => /^(apps|packages|tests)\/.*\.(test|spec)\.tsx?$/.test(path));
const testFiles = await Promise.all(productTests.map(async (path) => ({ path, text: await readFile(path, "utf8") })));

/**
 * `npm run docs:graph` writes the generated parts of the documents; with `--check` it only says which are stale.
 * A generated part stands between `<!-- generated: name -->` and `<!-- end -->`.
 */
const parts = [
  { path: "ARCHITECTURE.md", name: "module-graph", text: await renderModuleGraph(process.cwd()) },
  { path: "docs/reference/problems.md", name: "problem-list", text: renderProblemList() },
  { path: "docs/reference/security-lines.md", name: "security-lines", text: renderSecurityLines(testFiles) },
  { path: "docs/reference/signature-lines.md", name: "signature-lines", text: renderSignatureLines(testFiles) },
  { path: "docs/reference/specification-matrix.md", name: "spec-matrix", text: await renderSpecMatrix(process.cwd()) },
];

for (const { path, name, text } of parts) {
  const before = await readFile(path, "utf8");
  const place = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
  if (!place.test(before)) throw new Error(`${path} has no place for ${name}`);
  const after = before.replace(place, (_, start: string, end: string) => `${start}${text}\n${end}`);
  if (after === before) continue;
  if (process.argv.includes("--check")) {
    console.error(`${path}: ${name} is stale; run npm run docs:graph`);
    process.exitCode = 1;
  } else {
    await writeFile(path, after);
    console.log(`${path}: ${name} written`);
  }
}
