import { expect, test } from "vitest";
import { daysLabel, daysRemaining, isPurgeImminent } from "./deleted-page.tsx";

const NOW = new Date("2026-11-21T12:00:00Z");
const cancelled = (at: string) => daysRemaining({ days_remaining: null, cancelled_at: at }, NOW);

test("ten days less the whole days elapsed, never below zero", () => {
  expect(cancelled("2026-11-21T11:00:00Z")).toBe(10);
  expect(cancelled("2026-11-20T11:59:00Z")).toBe(9);
  expect(cancelled("2026-11-12T12:00:00Z")).toBe(1);
  expect(cancelled("2026-10-01T12:00:00Z")).toBe(0);
});

test("the server's own count wins", () => {
  expect(daysRemaining({ days_remaining: 4, cancelled_at: "2026-11-21T11:00:00Z" }, NOW)).toBe(4);
});

test("one day or less is imminent, and zero reads in words", () => {
  expect([0, 1, 2].map(isPurgeImminent)).toEqual([true, true, false]);
  expect([0, 1, 4].map(daysLabel)).toEqual(["Moins d’un jour", "1 jour", "4 jours"]);
});
