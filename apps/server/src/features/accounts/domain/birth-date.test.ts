import { expect, test } from "vitest";
import { checkBirthDate } from "./birth-date.ts";

const now = new Date("2026-11-21T10:00:00.000Z");

test.each([
  ["2026-11-21", null],
  ["1896-01-01", null],
  ["2026-11-22", "La date de naissance doit être dans le passé"],
  ["1895-12-31", "Date invalide"],
])("%s: %s", (date, fault) => {
  expect(checkBirthDate(date, now)).toBe(fault);
});
