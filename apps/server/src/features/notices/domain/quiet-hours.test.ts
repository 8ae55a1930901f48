import { expect, test } from "vitest";
import { isQuiet, nextMorning } from "./quiet-hours.ts";

test.each([
  ["winter, at 19 h 59", "2026-11-21T18:59:59.999Z", false],
  ["winter, at 20 h", "2026-11-21T19:00:00.000Z", true],
  ["winter, at 7 h 59", "2026-11-22T06:59:59.999Z", true],
  ["winter, at 8 h", "2026-11-22T07:00:00.000Z", false],
  ["summer, at 19 h 59", "2026-07-14T17:59:59.999Z", false],
  ["summer, at 20 h", "2026-07-14T18:00:00.000Z", true],
  ["summer, at 7 h 59", "2026-07-15T05:59:59.999Z", true],
  ["summer, at 8 h", "2026-07-15T06:00:00.000Z", false],
  ["midnight", "2026-11-21T23:00:00.000Z", true],
])("the quiet hours are from 20 h to 8 h in Paris: %s", (_when, instant, quiet) => {
  expect(isQuiet(new Date(instant))).toBe(quiet);
});

test.each([
  ["in the evening, the next day", "2026-11-21T20:30:00.000Z", "2026-11-22T07:00:00.000Z"],
  ["after midnight, the same day", "2026-11-22T01:30:00.000Z", "2026-11-22T07:00:00.000Z"],
  ["in the day, the next", "2026-11-21T10:00:00.000Z", "2026-11-22T07:00:00.000Z"],
  ["at 8 h sharp, the next day", "2026-11-22T07:00:00.000Z", "2026-11-23T07:00:00.000Z"],
  ["in summer", "2026-07-14T20:30:00.000Z", "2026-07-15T06:00:00.000Z"],
  ["over the end of a year", "2026-12-31T22:30:00.000Z", "2027-01-01T07:00:00.000Z"],
  // The clocks go forward on 29 March 2026 at 2 h, back on 25 October 2026 at 3 h.
  ["in the night that has eleven hours", "2026-03-28T20:00:00.000Z", "2026-03-29T06:00:00.000Z"],
  ["in the night that has thirteen", "2026-10-24T19:00:00.000Z", "2026-10-25T07:00:00.000Z"],
  ["before 2 h of the day the clocks go forward", "2026-03-29T00:30:00.000Z", "2026-03-29T06:00:00.000Z"],
  ["in the hour that comes twice", "2026-10-25T01:30:00.000Z", "2026-10-25T07:00:00.000Z"],
])("the next morning is 8 h in Paris: %s", (_when, now, morning) => {
  expect(nextMorning(new Date(now)).toISOString()).toBe(morning);
});
