import { expect, test } from "vitest";
import { parseFrenchDate, parseShortFrenchDate, writeFrenchDate } from "./date-field.tsx";

test("reads the ways a French date is typed", () => {
  for (const text of ["14/03/1984", "14.03.1984", "14-3-1984", "14 03 1984", "14031984"])
    expect(parseFrenchDate(text)).toBe("1984-03-14");
});

test("refuses what is no day of the calendar", () => {
  for (const text of ["31/02/2026", "1984-03-14", "14/03/84", "", "demain"])
    expect(parseFrenchDate(text)).toBeUndefined();
});

test("reads a year of two figures as one of this century, where that is asked for", () => {
  for (const text of ["1/1/27", "01.01.27", "1-1-27", "01 01 27", "010127"])
    expect(parseShortFrenchDate(text)).toBe("2027-01-01");
  for (const text of ["31/02/27", "1/1/2", "1/1/2027", ""])
    expect(parseShortFrenchDate(text)).toBeUndefined();
});

test("writes an ISO date back and leaves other texts alone", () => {
  expect(writeFrenchDate("1984-03-14")).toBe("14/03/1984");
  expect(writeFrenchDate("14/0")).toBe("14/0");
});
