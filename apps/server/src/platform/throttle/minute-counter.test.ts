import { expect, test } from "vitest";
import { createMinuteCounter } from "./minute-counter.ts";

test("allows so many a minute to each key, says how long to wait, and begins anew", () => {
  const counter = createMinuteCounter(2);
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
  expect([counter.hit("a", at(0)), counter.hit("a", at(10))].map(({ allowed }) => allowed)).toEqual([true, true]);
  expect(counter.hit("a", at(20))).toEqual({ allowed: false, retryAfterS: 40 });
  expect(counter.hit("b", at(20)).allowed).toBe(true);
  expect(counter.hit("a", at(60)).allowed).toBe(true);
});
