import { readFile, writeFile } from "node:fs/promises";
import { PROBLEMS } from "@paraphe/contracts";
import type { ICruiseResult } from "dependency-cruiser";
import { renderModuleGraph } from "./render-module-graph.ts";
import { renderThirdParty } from "./render-third-party.ts";

type StalePart = { readonly path: string; readonly name: string };

type Part = StalePart & { readonly text: string };

/**
 * Writes stale parts between `<!-- generated: name -->` and `<!-- end -->`, or only names them with
 * `check`.
 */
export async function writeParts(
  imports: ICruiseResult,
  { check = false } = {},
): Promise<readonly StalePart[]> {
  const parts = [
    { path: "ARCHITECTURE.md", name: "module-graph", text: renderModuleGraph(imports) },
    { path: "docs/reference/problems.md", name: "problem-list", text: renderProblemList() },
    { path: "THIRD-PARTY.md", name: "third-party", text: renderThirdParty(process.cwd()) },
  ];
  const stale: StalePart[] = [];
  for (const part of parts) if (await writePart(part, { check })) stale.push(part);
  return stale;
}

/** True when it was stale. */
async function writePart(
  { path, name, text }: Part,
  { check }: { readonly check: boolean },
): Promise<boolean> {
  const before = await readFile(path, "utf8");
  const place = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
  if (!place.test(before)) throw new Error(`${path} has no place for ${name}`);
  const after = before.replace(place, (_, start: string, end: string) => `${start}${text}\n${end}`);
  if (after !== before && !check) await writeFile(path, after);
  return after !== before;
}

/** By status, then code. */
function renderProblemList(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(
      ([one, { status }], [other, { status: otherStatus }]) =>
        status - otherStatus || one.localeCompare(other, "en"),
    )
    .map(([code, { status, sentence }]) => `| ${status} | \`${code}\` | ${sentence} |`);
  return ["| status | code | sentence |", "| --- | --- | --- |", ...rows].join("\n");
}
