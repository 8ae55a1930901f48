import { basename } from "node:path";
import { LONG } from "../run/spread-long-tests.ts";
import { type Imports, TEST } from "./read-imports.ts";

export type AffectedTests = {
  /**
   * Tests of the same folder, and those that reach the file without the composed service, nearest
   * first.
   */
  readonly near: readonly string[];
  /** Tests that reach the file through the joints alone, nearest first. */
  readonly far: readonly string[];
};

/** Parts that join every feature: every route test imports them. */
const JOINTS = new Set([
  "apps/server/src/compose.ts",
  "apps/server/src/platform/pdf-sandbox/tasks.ts",
  "apps/web/src/shell/member-routes.tsx",
]);

/** Tests of other makers' programs or a whole service. */
export function isSlow(path: string): boolean {
  return LONG.has(basename(path)) || /^tests\/|\/interop\//.test(path);
}

/** Tests that a change of `changed` can break, by imports. */
export function findAffectedTests(imports: Imports, changed: readonly string[]): AffectedTests {
  const importers = invert(imports);
  const all = distances(importers, changed, () => false);
  const direct = distances(
    importers,
    changed,
    (path) => JOINTS.has(path) && !changed.includes(path),
  );
  const features = new Set(changed.map(featureOf).filter((feature) => feature !== null));
  const isNear = (path: string) => direct.has(path) || features.has(featureOf(path) ?? "");
  const tests = [...imports.keys()].filter(
    (path) => TEST.test(path) && (all.has(path) || isNear(path)),
  );
  const order = (path: string) =>
    changed.includes(path) ? 0 : (direct.get(path) ?? 100 + (all.get(path) ?? 100));
  const sorted = tests.sort((one, other) => order(one) - order(other) || (one < other ? -1 : 1));
  return { near: sorted.filter(isNear), far: sorted.filter((path) => !isNear(path)) };
}

/** Feature, platform folder or package folder of a file. */
function featureOf(path: string): string | null {
  return (
    /^(apps\/\w+\/src\/(?:(?:features|platform|ui)\/[^/]+|worker)|packages\/\w+\/src\/[^/]+)\//.exec(
      path,
    )?.[1] ?? null
  );
}

function invert(imports: Imports): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  return importers;
}

/** Import distance of each file to the nearest of `from`, not followed past `stops`. */
function distances(
  importers: ReadonlyMap<string, readonly string[]>,
  from: readonly string[],
  stops: (path: string) => boolean,
): ReadonlyMap<string, number> {
  const found = new Map(from.map((path) => [path, 0]));
  for (const [path, distance] of found) {
    if (stops(path)) continue;
    for (const importer of importers.get(path) ?? [])
      if (!found.has(importer)) found.set(importer, distance + 1);
  }
  return found;
}
