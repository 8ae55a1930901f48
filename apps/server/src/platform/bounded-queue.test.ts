import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBoundedQueue } from "./bounded-queue.ts";

test("runs so much at a time, keeps so much waiting, and refuses what comes beyond at once", async () => {
  const queue = createBoundedQueue({ concurrency: 2, longest: 3 });
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await turn();
    running--;
    return "done";
  };
  const results = await Promise.all(Array.from({ length: 7 }, () => queue(work)));
  expect(most).toBe(2);
  expect(results.map((result) => (result.ok ? result.value : result.error.code))).toEqual([
    ...Array.from({ length: 5 }, () => "done"),
    "service_unavailable",
    "service_unavailable",
  ]);
});

test("gives the place of failed work on", async () => {
  const queue = createBoundedQueue({ concurrency: 1, longest: 1 });
  const failed = queue(() => Promise.reject(new Error("no")));
  const next = queue(() => Promise.resolve("yes"));
  await expect(failed).rejects.toThrow("no");
  await expect(next).resolves.toEqual({ ok: true, value: "yes" });
});
