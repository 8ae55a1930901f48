import { basename } from "node:path";
import { expect, it } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { listFiles } from "./fences/list-files.ts";
import { LONG, SpreadLongTests } from "./spread-long-tests.ts";

it("names test files that exist", async () => {
  const names = new Set((await listFiles(process.cwd())).map((file) => basename(file)));
  expect([...LONG].filter((name) => !names.has(name))).toEqual([]);
});

it("spreads them evenly, and leaves nothing out", async () => {
  const cache = { getTestSpecificationResult: () => undefined };
  const project = { name: "p", config: { sequence: { groupOrder: 0 }, isolate: true } };
  const file = (name: string) => ({ moduleId: `/x/${name}`, project }) as unknown as TestSpecification;
  const names = [...[...LONG].slice(0, 2), "1.test.ts", "2.test.ts", "3.test.ts", "4.test.ts", "5.test.ts", "6.test.ts", "7.test.ts"];
  const sorted = await new SpreadLongTests({ cache } as unknown as Vitest).sort(names.map(file));
  const spread = sorted.map(({ moduleId }) => basename(moduleId));
  expect([...spread].sort()).toEqual([...names].sort());
  expect(spread.flatMap((name, index) => (LONG.has(name) ? [index] : []))).toEqual([0, 3]);
});
