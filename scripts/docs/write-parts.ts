import { readFile, writeFile } from "node:fs/promises";
import type { ICruiseResult } from "dependency-cruiser";
import { renderModuleGraph } from "./render-module-graph.ts";
import { renderProblemList } from "./render-problem-list.ts";

export type StalePart = { readonly path: string; readonly name: string };

/**
 * Writes the generated parts of the documents that are stale, or with `check` leaves them, and gives which they are.
 * A generated part stands between `<!-- generated: name -->` and `<!-- end -->`.
 */
export async function writeParts(
  imports: ICruiseResult,
  { check = false } = {},
): Promise<readonly StalePart[]> {
  const parts = [
    { path: "ARCHITECTURE.md", name: "module-graph", text: renderModuleGraph(imports) },
    { path: "docs/reference/problems.md", name: "problem-list", text: renderProblemList() },
  ];
  const stale: StalePart[] = [];
  for (const { path, name, text } of parts) {
    const before = await readFile(path, "utf8");
    const place = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
    if (!place.test(before)) throw new Error(`${path} has no place for ${name}`);
    const after = before.replace(
      place,
      (_, start: string, end: string) => `${start}${text}\n${end}`,
    );
    if (after === before) continue;
    stale.push({ path, name });
    if (!check) await writeFile(path, after);
  }
  return stale;
}
