import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPlaces } from "./create-places.ts";

const MINUTE_MS = 60_000;
let retired: string[];

beforeEach(() => {
  retired = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const three = () => createPlaces({ all: ["a", "b", "c"], retire: (place) => retired.push(place) });

test("one after the other, tasks use the same place", async () => {
  const places = three();
  for (let task = 0; task < 5; task += 1) {
    expect(await places.take()).toBe("a");
    places.give("a");
  }
});

test("a task waits a moment for a place that is at work before a fresh one is used", async () => {
  const places = three();
  await places.take();
  const second = places.take();
  await vi.advanceTimersByTimeAsync(99);
  places.give("a");
  expect(await second).toBe("a");
  const third = places.take();
  await vi.advanceTimersByTimeAsync(100);
  expect(await third).toBe("b");
});

test("who waits longest is given the first place", async () => {
  const places = three();
  await places.take();
  const taken: string[] = [];
  const waiting = ["second", "third"].map((name) => places.take().then((place) => taken.push(`${name} ${place}`)));
  places.give("a");
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(waiting);
  expect(taken).toEqual(["second a", "third b"]);
});

test("places unused for a minute end, all but one", async () => {
  const places = three();
  const all = Promise.all([places.take(), places.take(), places.take()]);
  await vi.advanceTimersByTimeAsync(200);
  for (const place of await all) places.give(place);
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(retired).toEqual([]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(retired).toHaveLength(2);
  const kept = await places.take();
  expect(retired).not.toContain(kept);
});

test("a place that is used stays, the others end beside it", async () => {
  const places = three();
  const [first, second] = [places.take(), places.take()];
  await vi.advanceTimersByTimeAsync(100);
  places.give(await first);
  places.give(await second);
  for (let second = 0; second < 70; second += 1) {
    const place = await places.take();
    expect(place).toBe("b");
    places.give(place);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(retired).toEqual(["a"]);
});

test("one taker more than there are places is refused, and the others keep theirs", async () => {
  const places = three();
  const four = Promise.allSettled([places.take(), places.take(), places.take(), places.take()]);
  await vi.advanceTimersByTimeAsync(200);
  const outcomes = await four;
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  for (const outcome of outcomes) if (outcome.status === "fulfilled") places.give(outcome.value);
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(retired).toHaveLength(2);
  expect(retired).not.toContain(undefined);
});
