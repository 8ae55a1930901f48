import { expect, test } from "vitest";
import { deadlineDay } from "./counters.tsx";
import { formatAge, periodHint, periodRange } from "./dashboard-dates.ts";

const NOW = new Date("2026-11-21T11:38:00Z");

test.each([
  ["2026-11-21T22:59:59Z", "aujourd’hui"],
  ["2026-11-22T22:59:59Z", "demain"],
  ["2026-11-24T22:59:59Z", "mardi 24"],
  ["2026-11-27T22:59:59Z", "vendredi 27"],
  ["2026-11-28T22:59:59Z", "le 28\u00a0nov."],
  ["2027-01-05T22:59:59Z", "le 5\u00a0janv. 2027"],
])("a deadline at %s reads « %s »", (deadline, words) => {
  expect(deadlineDay(deadline, NOW)).toBe(words);
});

test("a deadline on the first of a month reads « 1er »", () => {
  expect(deadlineDay("2026-12-01T22:59:59Z", new Date("2026-11-27T14:00:00Z"))).toBe("mardi 1er");
});

test.each([
  ["2026-11-21T11:37:40Z", "à l’instant"],
  ["2026-11-21T09:38:00Z", "il y a 2 h"],
  ["2026-11-20T09:38:00Z", "hier"],
  ["2026-11-10T09:38:00Z", "le 10\u00a0nov."],
  ["2025-11-10T09:38:00Z", "le 10\u00a0nov. 2025"],
])("a change at %s reads « %s »", (instant, words) => {
  expect(formatAge(instant, NOW)).toBe(words);
});

test.each([
  ["month", "2026-11-01"],
  ["90days", "2026-08-24"],
] as const)("the period %s goes from %s to today", (kind, from) => {
  expect(periodRange({ kind, start: "", end: "" }, NOW)).toEqual({ from, to: "2026-11-21" });
});

test("a custom period without both its dates filters nothing and says why", () => {
  const half = { kind: "custom", start: "2026-10-01", end: "" } as const;
  expect(periodRange(half, NOW)).toEqual({});
  expect(periodHint(half)).toBe("Choisissez une date de début et une date de fin.");
  const whole = { ...half, end: "2026-11-21" };
  expect(periodRange(whole, NOW)).toEqual({ from: "2026-10-01", to: "2026-11-21" });
  expect(periodHint(whole)).toBeUndefined();
});
