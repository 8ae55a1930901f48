import { readFile, writeFile } from "node:fs/promises";
import { renderModuleGraph } from "./docs/render-module-graph.ts";
import { renderProblemList } from "./docs/render-problem-list.ts";

/**
 * `npm run docs:graph` writes the generated parts of the documents; with `--check` it only says which are stale.
 * A generated part stands between `<!-- generated: name -->` and `<!-- end -->`.
 */
const parts = [
  { path: "ARCHITECTURE.md", name: "module-graph", text: await renderModuleGraph(process.cwd()) },
  { path: "docs/reference/problems.md", name: "problem-list", text: renderProblemList() },
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
