import { readFile, writeFile } from "node:fs/promises";
import { PROBLEMS } from "@paraphe/contracts";
import type { ICruiseResult } from "dependency-cruiser";
import { renderThirdParty } from "./docs/render-third-party.ts";
import { findImportViolations } from "./fences/import-law.ts";

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

function renderProblemList(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(
      ([one, { status }], [other, { status: otherStatus }]) =>
        status - otherStatus || one.localeCompare(other, "en"),
    )
    .map(([code, { status, sentence }]) => `| ${status} | \`${code}\` | ${sentence} |`);
  return ["| status | code | sentence |", "| --- | --- | --- |", ...rows].join("\n");
}

function partOf(path: string): { layer: string; feature: string | null } | null {
  if (/\.test\.tsx?$|\/testing\//.test(path)) return null;
  const feature = /^apps\/server\/src\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
  if (feature) return { layer: "features", feature };
  const layer =
    /^apps\/server\/src\/(platform)\//.exec(path)?.[1] ??
    (/^apps\/server\/src\/(compose|main)\.ts$/.test(path) ? "compose" : null) ??
    /^apps\/(web)\/src\//.exec(path)?.[1] ??
    /^(packages\/\w+)\/src\//.exec(path)?.[1]?.replace("/", "_");
  return layer ? { layer, feature: null } : null;
}

const TITLES: Readonly<Record<string, string>> = {
  web: "apps/web",
  compose: "main, compose",
  platform: "platform",
  packages_kernel: "packages/kernel",
  packages_contracts: "packages/contracts",
  packages_pades: "packages/pades",
  packages_proof: "packages/proof",
};

function withoutShortcuts(edges: ReadonlyMap<string, ReadonlySet<string>>): [string, string][] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && seen.add(next) && reaches(next, to, seen)),
    );
  return [...edges]
    .flatMap(([from, all]) => [...all].map((to): [string, string] => [from, to]))
    .filter(
      ([from, to]) =>
        ![...(edges.get(from) ?? [])].some((other) => other !== to && reaches(other, to)),
    )
    .sort((one, other) => one.join(" ").localeCompare(other.join(" "), "en"));
}

function renderModuleGraph({ modules }: ICruiseResult): string {
  const layers = new Map<string, Set<string>>();
  const features = new Map<string, Set<string>>();
  const add = (graph: Map<string, Set<string>>, from: string, to: string) =>
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  for (const { source, dependencies } of modules) {
    const from = partOf(source);
    if (!from) continue;
    if (from.feature && !features.has(from.feature)) features.set(from.feature, new Set());
    for (const { resolved } of dependencies) {
      const to = partOf(resolved);
      if (!to) continue;
      if (from.layer !== to.layer) add(layers, from.layer, to.layer);
      else if (from.feature && to.feature && from.feature !== to.feature)
        add(features, from.feature, to.feature);
    }
  }
  return [
    "```mermaid",
    "flowchart TD",
    ...Object.entries(TITLES).map(([id, title]) => `  ${id}["${title}"]`),
    "  subgraph features [apps/server/src/features]",
    ...[...features.keys()].sort().map((name) => `    ${name}`),
    ...withoutShortcuts(features).map(([from, to]) => `    ${from} --> ${to}`),
    "  end",
    ...withoutShortcuts(layers).map(([from, to]) => `  ${from} --> ${to}`),
    "```",
  ].join("\n");
}

/** `npm run docs:graph`; `npm run check` names stale parts. */
if (import.meta.main) {
  const { result } = await findImportViolations(process.cwd());
  for (const { path, name } of await writeParts(result)) console.log(`${path}: ${name} written`);
}
