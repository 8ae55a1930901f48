import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, daysBetween, isCalendarDay, parisDay } from "./paris-days.ts";
import {
  addParisDays,
  endOfParisDay,
  parisHour,
  parisOffsetHours,
  parisTime,
  startOfParisDay,
} from "./paris-time.ts";

const at = (text: string) => new Date(text);

describe("days of Paris", () => {
  test("begin at midnight there, in winter and in summer", () => {
    expect(startOfParisDay("2026-01-15")).toEqual(at("2026-01-14T23:00:00Z"));
    expect(startOfParisDay("2026-07-15")).toEqual(at("2026-07-14T22:00:00Z"));
    expect(parisDay(at("2026-07-14T22:00:00Z"))).toBe("2026-07-15");
    expect(parisDay(at("2026-07-14T21:59:59.999Z"))).toBe("2026-07-14");
  });

  test("last 23 hours when the clocks go forward and 25 when they go back", () => {
    const hours = (day: string) =>
      (startOfParisDay(addDays(day, 1)).getTime() - startOfParisDay(day).getTime()) / 3_600_000;
    expect(hours("2026-03-29")).toBe(23);
    expect(hours("2026-10-25")).toBe(25);
    expect(hours("2026-03-28")).toBe(24);
  });

  test("preserve the wall time over a change of clocks", () => {
    expect(addParisDays(at("2026-03-25T13:30:00Z"), 10)).toEqual(at("2026-04-04T12:30:00Z"));
    expect(addParisDays(at("2026-10-20T12:30:00.250Z"), 10)).toEqual(
      at("2026-10-30T13:30:00.250Z"),
    );
  });

  test("move a time skipped in spring an hour later, and take the first of one repeated in autumn", () => {
    expect(addParisDays(at("2026-03-28T01:30:00Z"), 1)).toEqual(at("2026-03-29T01:30:00Z"));
    expect(addParisDays(at("2026-10-24T00:30:00Z"), 1)).toEqual(at("2026-10-25T00:30:00Z"));
  });

  test("convert back to the same day", () => {
    fc.assert(
      fc.property(
        fc.date({
          min: at("2000-01-01T00:00:00Z"),
          max: at("2099-12-31T00:00:00Z"),
          noInvalidDate: true,
        }),
        (instant) => {
          const day = parisDay(instant);
          expect(parisDay(startOfParisDay(day))).toBe(day);
          expect(
            startOfParisDay(day) <= instant && instant < startOfParisDay(addDays(day, 1)),
          ).toBe(true);
        },
      ),
    );
  });
});

test("ends a day of Paris at its last second, in winter and in summer", () => {
  expect(endOfParisDay("2026-12-05")).toEqual(at("2026-12-05T22:59:59.000Z"));
  expect(endOfParisDay("2027-07-14")).toEqual(at("2027-07-14T21:59:59.000Z"));
});

test("puts Paris one hour ahead of UTC, two in summer", () => {
  expect(parisTime("2026-12-05", 8)).toEqual(at("2026-12-05T07:00:00.000Z"));
  expect(parisTime("2026-07-05", 8)).toEqual(at("2026-07-05T06:00:00.000Z"));
  expect([at("2026-12-05T23:30:00Z"), at("2026-07-05T22:30:00Z")].map(parisHour)).toEqual([0, 0]);
  expect([at("2026-12-05T12:00:00Z"), at("2026-07-05T12:00:00Z")].map(parisOffsetHours)).toEqual([
    1, 2,
  ]);
});

test("counts calendar days between two instants, over a change of clocks", () => {
  expect(daysBetween("2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z")).toBe(1);
  expect(daysBetween("2026-11-21T22:00:00Z", "2026-11-21T23:30:00Z")).toBe(1);
  expect(daysBetween("2026-11-22T22:00:00Z", "2026-11-20T22:00:00Z")).toBe(-2);
});

test("accepts only days of the calendar", () => {
  expect(["2028-02-29", "2026-02-29", "2026-2-03", "2026-13-01", ""].map(isCalendarDay)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
