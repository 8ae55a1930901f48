import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createKeyedQueue } from "./keyed-queue.ts";

it("runs the work of one key in order, and of two keys side by side", async () => {
  const queue = createKeyedQueue(2);
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await turn();
    seen.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([queue.run("a", work("a1")), queue.run("a", work("a2")), queue.run("b", work("b1"))]);
  expect(results).toEqual(["a1", "a2", "b1"]);
  expect(seen.indexOf("a2 begins")).toBeGreaterThan(seen.indexOf("a1 ends"));
  expect(seen.indexOf("b1 begins")).toBeLessThan(seen.indexOf("a1 ends"));
});

it("goes on after a failure", async () => {
  const queue = createKeyedQueue(2);
  const failed = queue.run("a", () => Promise.reject(new Error("no")));
  const next = queue.run("a", () => Promise.resolve("yes"));
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toBe("yes");
});

it("runs no more keys at once than it has places, each of them in the end", async () => {
  const queue = createKeyedQueue(3);
  let running = 0;
  let most = 0;
  const done = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      queue
        .run(`key ${index}`, async () => {
          running += 1;
          most = Math.max(most, running);
          await turn();
          running -= 1;
          if (index % 5 === 0) throw new Error("no");
          return index;
        })
        .catch(() => index),
    ),
  );
  expect([most, running, done.length]).toEqual([3, 0, 20]);
});
