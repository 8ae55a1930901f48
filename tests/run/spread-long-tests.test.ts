import { basename } from "node:path";
import { expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { listFiles } from "../../scripts/fences/list-files.ts";
import { LONG, SpreadLongTests } from "./spread-long-tests.ts";

it("names test files that exist", async () => {
  const names = new Set((await listFiles(process.cwd())).map((file) => basename(file)));
  expect([...LONG].filter((name) => !names.has(name))).toEqual([]);
});

const cache = { getTestSpecificationResult: () => undefined };

async function sortedNames(
  names: readonly string[],
  projectOf: (name: string) => string,
): Promise<readonly string[]> {
  const file = (name: string) =>
    ({
      moduleId: `/x/${name}`,
      project: { name: projectOf(name), config: { sequence: { groupOrder: 0 }, isolate: false } },
    }) as unknown as TestSpecification;
  const sorted = await new SpreadLongTests({ cache } as unknown as Vitest).sort(names.map(file));
  return sorted.map(({ moduleId }) => basename(moduleId));
}

it("spreads them evenly, and leaves nothing out", async () => {
  const names = [
    ...[...LONG].slice(0, 2),
    "1.test.ts",
    "2.test.ts",
    "3.test.ts",
    "4.test.ts",
    "5.test.ts",
    "6.test.ts",
    "7.test.ts",
  ];
  const spread = await sortedNames(names, () => "p");
  expect([...spread].sort()).toEqual([...names].sort());
  expect(spread.flatMap((name, index) => (LONG.has(name) ? [index] : []))).toEqual([0, 3]);
});

it("keeps the files of a project together, except stories, which go among all", async () => {
  const projects = { stories: "kills", p: "attacks", server: "main" } as Readonly<
    Record<string, string>
  >;
  const names = Object.entries(projects).flatMap(([project, long]) => [
    `${long}.test.ts`,
    `${project}-1.test.ts`,
    `${project}-2.test.ts`,
  ]);
  const projectOf = (name: string) =>
    Object.keys(projects).find(
      (project) => name === `${projects[project]}.test.ts` || name.startsWith(project),
    ) ?? "";
  expect(
    (await sortedNames(names, projectOf)).map(
      (name) => `${projectOf(name)} ${LONG.has(name) ? "long" : "short"}`,
    ),
  ).toEqual([
    "stories long",
    ...["p", "server"].flatMap((project) => [
      `${project} long`,
      `${project} short`,
      `${project} short`,
    ]),
    "stories short",
    "stories short",
  ]);
});
