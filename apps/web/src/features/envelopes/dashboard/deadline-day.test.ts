import { expect, test } from "vitest";
import { deadlineDay } from "./counters.tsx";

const now = new Date("2026-11-21T14:00:00Z");

test.each([
  ["2026-11-21T22:59:59Z", "aujourd’hui"],
  ["2026-11-22T22:59:59Z", "demain"],
  ["2026-11-24T22:59:59Z", "mardi 24"],
  ["2026-11-27T22:59:59Z", "vendredi 27"],
  ["2026-11-28T22:59:59Z", "le 28 nov."],
  ["2027-01-05T22:59:59Z", "le 5 janv. 2027"],
])("a deadline at %s is said « %s »", (deadline, words) => {
  expect(deadlineDay(deadline, now)).toBe(words);
});

test("the first of a month is written « 1er »", () => {
  expect(deadlineDay("2026-12-01T22:59:59Z", new Date("2026-11-27T14:00:00Z"))).toBe("mardi 1er");
});
