import { expect, test } from "vitest";
import { periodHint, periodRange } from "./period.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

test("the month starts on its first day, ninety days end today", () => {
  expect(periodRange({ kind: "month", start: "", end: "" }, NOW)).toEqual({
    from: "2026-11-01",
    to: "2026-11-21",
  });
  expect(periodRange({ kind: "90days", start: "", end: "" }, NOW)).toEqual({
    from: "2026-08-24",
    to: "2026-11-21",
  });
});

test("a custom period without both its dates filters nothing and says why", () => {
  const half = { kind: "custom", start: "2026-10-01", end: "" } as const;
  expect(periodRange(half, NOW)).toEqual({});
  expect(periodHint(half)).toBe("Choisissez une date de début et une date de fin.");
  const whole = { ...half, end: "2026-11-21" };
  expect(periodRange(whole, NOW)).toEqual({ from: "2026-10-01", to: "2026-11-21" });
  expect(periodHint(whole)).toBeUndefined();
});
