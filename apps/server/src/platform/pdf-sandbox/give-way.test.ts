import { expect, test } from "vitest";
import { createGiveWay } from "./give-way.ts";

const stage = (rights: { readonly mayRaise: boolean }) => {
  const calls: (readonly [number, number])[] = [];
  const give = createGiveWay({ ...rights, set: ((pid: number, priority: number) => calls.push([pid, priority])) as never });
  return { calls, give };
};

test("a child is lowered for background work, once, and raised for the first task of somebody who waits", () => {
  const { calls, give } = stage({ mayRaise: true });
  for (const task of ["ordinary", "background", "background", "ordinary", "ordinary", "background"] as const) give(7, task);
  give(8, "ordinary");
  expect(calls).toEqual([
    [7, 10],
    [7, 0],
    [7, 10],
  ]);
});

test("where it could not be raised again, no child is lowered", () => {
  const { calls, give } = stage({ mayRaise: false });
  give(7, "background");
  expect(calls).toEqual([]);
});

test("a child that has ended throws nothing here", () => {
  const give = createGiveWay({
    mayRaise: true,
    set: () => {
      throw new Error("ESRCH");
    },
  });
  expect(() => give(7, "background")).not.toThrow();
});
