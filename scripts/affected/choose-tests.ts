import { basename } from "node:path";
import { LONG } from "../long-tests.ts";
import type { AffectedTests } from "./find-affected-tests.ts";

/** Names the variable with the paths of a run's files, the nearest to the change first. */
export const NEAREST_FIRST = "PARAPHE_NEAREST_FIRST";

/** The tests that are run, in that order, and the others by what keeps them from it. */
export type Choice = {
  readonly chosen: readonly string[];
  readonly left: ReadonlyMap<string, readonly string[]>;
};

/** What a file takes among others, in seconds of CPU, by the beginning of its path: `npm test -- --times` measures it. */
const COSTS: Readonly<Record<string, number>> = {
  "apps/server/src/features/": 5,
  "apps/server/": 3,
  "apps/web/": 0.7,
  "packages/pades/": 1,
  "": 1,
};
/** Of a minute of two cores: the rest goes to the runner, the database, and what else the machine does. */
const BUDGET_S = 100;

/** Chooses the nearest tests that a minute holds. `likely` come before the other near ones; a test that is changed itself is always run. */
export function chooseTests(
  { near, far }: AffectedTests,
  changed: readonly string[],
  likely: ReadonlySet<string>,
): Choice {
  const all = [...near, ...far];
  const ordered = new Set([
    ...all.filter((path) => changed.includes(path)),
    ...all.filter((path) => likely.has(path)),
    ...all,
  ]);
  const isNear = new Set([...near, ...likely]);
  let spent = 0;
  const why = (path: string): string => {
    if (isOfDeployments(path)) return "tests of what one deploys (npm run test:deployments)";
    if (changed.includes(path)) return CHOSEN;
    if (isStory(path)) return "browser stories";
    if (isSlow(path)) return "tests that take long";
    if (!isNear.has(path))
      return "tests that reach the change only through what joins every feature";
    spent += costOf(path);
    return spent > BUDGET_S ? "tests beyond the minute" : CHOSEN;
  };
  const { [CHOSEN]: chosen = [], ...left } = Object.groupBy(ordered, why);
  return {
    chosen,
    left: new Map(Object.entries(left).map(([reason, paths = []]) => [reason, paths])),
  };
}
const CHOSEN = "chosen";

/** Run by a command of their own, which installs the systems of others. */
export const isOfDeployments = (path: string): boolean => path.startsWith("tests/deployments/");

export const isStory = (path: string): boolean => path.endsWith(".spec.ts");

/** What waits for other makers' programs, or for a whole service. */
export function isSlow(path: string): boolean {
  return LONG.has(basename(path)) || /^tests\/|\/interop\//.test(path);
}

const costOf = (path: string) =>
  Object.entries(COSTS).find(([start]) => path.startsWith(start))?.[1] ?? 0;

/** What a test may quote of the lines that a change takes away: their strings, the text between their tags, and names as `link_expired`. */
export function quotedBy(diff: string): readonly string[] {
  const removed = diff.split("\n").filter((line) => /^-(?!--)/.test(line));
  const found = removed.flatMap((line) => [
    ...line.matchAll(
      /"([^"]{6,})"|'([^']{6,})'|`([^`]{6,})`|>([^<>{}]{6,})<|\b([a-z]+(?:_[a-z]+)+)\b/g,
    ),
  ]);
  const strings = found.flatMap((groups) => groups.slice(1).filter((group) => group !== undefined));
  return [...new Set(strings)].filter((text) => !/^[.@]/.test(text));
}
