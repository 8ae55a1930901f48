import { expect, test } from "vitest";
import { parseFrenchDate, writeFrenchDate } from "./french-date.ts";

test("reads the ways a French date is typed", () => {
  for (const text of ["14/03/1984", "14.03.1984", "14-3-1984", "14 03 1984", "14031984"]) expect(parseFrenchDate(text)).toBe("1984-03-14");
});

test("refuses what is no day of the calendar", () => {
  for (const text of ["31/02/2026", "1984-03-14", "14/03/84", "", "demain"]) expect(parseFrenchDate(text)).toBeUndefined();
});

test("writes an ISO date back and leaves other texts alone", () => {
  expect(writeFrenchDate("1984-03-14")).toBe("14/03/1984");
  expect(writeFrenchDate("14/0")).toBe("14/0");
});
