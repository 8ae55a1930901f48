import { expect, test } from "vitest";
import {
  daysBetween,
  formatDay,
  formatDeadlineDistance,
  formatExactInstant,
  formatInstant,
  formatShortInstant,
  formatWeekday,
  parisDay,
} from "./format-dates.ts";

const NOW = new Date("2026-11-21T11:38:00Z");

test("writes dates the French way, in Paris", () => {
  expect(formatDay("2026-11-21T11:38:00Z")).toBe("21 nov. 2026");
  expect([formatDay("2027-05-01T08:00:00Z"), formatDay("2027-01-11T08:00:00Z")]).toEqual([
    "1er mai 2027",
    "11 janv. 2027",
  ]);
  expect(formatWeekday("2027-05-01T08:00:00Z")).toBe("samedi 1er mai 2027");
  expect(formatInstant("2026-11-21T11:38:00Z")).toBe("21 novembre 2026 à\u00a012\u00a0h\u00a038");
  expect(formatExactInstant("2026-11-21T11:38:05Z")).toBe(
    "21 novembre 2026 à\u00a012\u00a0h\u00a038\u00a0min\u00a005\u00a0s",
  );
  expect(formatShortInstant("2026-11-21T11:38:00Z")).toBe("21 nov. 2026 à\u00a012\u00a0h\u00a038");
  expect(parisDay("2026-11-21T23:30:00Z")).toBe("2026-11-22");
});

test("counts days by the calendar, through the change of hour", () => {
  expect(daysBetween("2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z")).toBe(1);
  expect(daysBetween("2026-11-21T22:00:00Z", "2026-11-21T23:30:00Z")).toBe(1);
});

test("says how far a deadline is", () => {
  expect(formatDeadlineDistance("2026-12-05T22:59:59Z", NOW)).toBe("dans 14 jours");
  expect(formatDeadlineDistance("2026-11-22T22:59:59Z", NOW)).toBe("demain");
  expect(formatDeadlineDistance("2026-11-21T22:59:59Z", NOW)).toBe("aujourd’hui");
  expect(formatDeadlineDistance("2026-11-20T22:59:59Z", NOW)).toBe("dépassée");
});
