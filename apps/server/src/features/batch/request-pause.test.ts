import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRequestPause } from "./request-pause.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Says whether the pause is over. */
async function isCalm(calm: Promise<void>): Promise<boolean> {
  return Promise.race([calm.then(() => true), vi.advanceTimersByTimeAsync(0).then(() => false)]);
}

it("lets work go on at once when nobody waits for an answer", async () => {
  expect(await isCalm(createRequestPause().calm())).toBe(true);
});

it("holds work back until every request is answered, each counted once", async () => {
  const pause = createRequestPause();
  const [first, second] = [pause.enter(), pause.enter()];
  const calm = pause.calm();
  first();
  first();
  expect(await isCalm(calm)).toBe(false);
  second();
  expect(await isCalm(calm)).toBe(true);
});

it("never holds work back for long, whatever the load", async () => {
  const pause = createRequestPause();
  pause.enter();
  const calm = pause.calm();
  await vi.advanceTimersByTimeAsync(25);
  expect(await isCalm(calm)).toBe(true);
});

it("takes a request that lasts for a stream, which nobody waits for", async () => {
  const pause = createRequestPause();
  pause.enter();
  await vi.advanceTimersByTimeAsync(300);
  expect(await isCalm(pause.calm())).toBe(true);
});
