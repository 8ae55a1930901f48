import { expect, test } from "vitest";
import { forEachDue } from "./for-each-due.ts";

/** Whatever is done leaves what is due, as a row's new state does. */
function dueList(count: number, isStuck: (id: number) => boolean) {
  const due = Array.from({ length: count }, (_, id) => id);
  const logged: unknown[] = [];
  return {
    due,
    logged,
    platform: { log: { error: (fault: unknown, text: string) => logged.push([fault, text]) } } as unknown as Parameters<
      typeof forEachDue
    >[0],
    work: {
      what: "the work",
      select: async ({ limit, skip }: { limit: number; skip: number }) => due.slice(skip, skip + limit).map(String),
      run: async (id: string) => {
        if (isStuck(Number(id))) throw new Error(`poison ${id}`);
        due.splice(due.indexOf(Number(id)), 1);
        return true;
      },
    },
  };
}

test("those behind more than a batch that throw all have their turn; each throw is logged with its envelope", async () => {
  const list = dueList(1_700, (id) => id < 1_100 || id === 1_500);
  expect(await forEachDue(list.platform, list.work)).toBe(599);
  expect(list.due).toHaveLength(1_101);
  expect(list.logged).toHaveLength(1_101);
  expect(list.logged[0]).toEqual([{ error: expect.any(Error), envelope: "0" }, "the work failed"]);
});

test("one that refuses is left for the next round, and ends none", async () => {
  const list = dueList(1_200, () => false);
  const refusing = { ...list.work, run: async (id: string) => Number(id) % 2 === 1 && list.work.run(id) };
  expect(await forEachDue(list.platform, refusing)).toBe(600);
  expect(list.due.every((id) => id % 2 === 0)).toBe(true);
  expect(list.logged).toEqual([]);
});
