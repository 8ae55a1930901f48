import { describe, expect, test } from "vitest";
import {
  formatDay,
  formatDayMonth,
  formatDigits,
  formatDigitsInstant,
  formatExactInstant,
  formatInstant,
  formatLongDay,
  formatLongDayMonth,
  formatNearDay,
  formatShortInstant,
  formatWeekday,
  formatZonedInstant,
} from "./french-dates.ts";

describe("French dates", () => {
  test.each([
    ["2026-11-21T14:16:04.000Z", "21\u00a0novembre 2026 à\u00a015\u00a0h\u00a016"],
    ["2026-11-30T23:05:00.000Z", "1er\u00a0décembre 2026 à\u00a000\u00a0h\u00a005"],
    ["2026-03-29T00:59:00.000Z", "29\u00a0mars 2026 à\u00a001\u00a0h\u00a059"],
    ["2026-03-29T01:00:00.000Z", "29\u00a0mars 2026 à\u00a003\u00a0h\u00a000"],
    ["2028-02-29T11:00:00.000Z", "29\u00a0février 2028 à\u00a012\u00a0h\u00a000"],
  ])("%s is %s in Paris", (instant, moment) => {
    expect(formatInstant(instant)).toBe(moment);
  });

  test("writes the first of a month as 1er, with and without its year", () => {
    expect(formatLongDay("2027-05-01T10:00:00.000Z")).toBe("1er\u00a0mai 2027");
    expect(formatLongDayMonth("2027-05-01T10:00:00.000Z")).toBe("1er\u00a0mai");
    expect(formatLongDayMonth("2026-11-28T22:59:00.000Z")).toBe("28\u00a0novembre");
    expect(formatLongDayMonth("2026-11-11T22:59:00.000Z")).toBe("11\u00a0novembre");
  });
});

test("writes one instant in each form, in Paris", () => {
  expect(formatDay("2026-11-21T11:38:00Z")).toBe("21\u00a0nov. 2026");
  expect([formatDay("2027-05-01T08:00:00Z"), formatDay("2027-01-11T08:00:00Z")]).toEqual([
    "1er\u00a0mai 2027",
    "11\u00a0janv. 2027",
  ]);
  expect(formatDayMonth("2026-11-21T11:38:00Z")).toBe("21\u00a0nov.");
  expect(formatWeekday("2027-05-01T08:00:00Z")).toBe("samedi 1er\u00a0mai 2027");
  expect(formatNearDay("2027-05-01T08:00:00Z")).toBe("samedi 1er");
  expect(formatNearDay("2026-11-24T23:30:00Z")).toBe("mercredi 25");
  expect(formatExactInstant("2026-11-21T11:38:05Z")).toBe(
    "21\u00a0novembre 2026 à\u00a012\u00a0h\u00a038\u00a0min\u00a005\u00a0s",
  );
  expect(formatShortInstant("2026-11-21T11:38:00Z")).toBe(
    "21\u00a0nov. 2026 à\u00a012\u00a0h\u00a038",
  );
  expect(formatDigits("2026-11-02T23:30:00Z")).toBe("03/11/2026");
  expect(formatDigitsInstant("2026-11-21T11:38:05Z")).toBe(
    "21/11/2026 à\u00a012\u00a0h\u00a038\u00a0min\u00a005\u00a0s",
  );
});

test("writes the offset of Paris from UTC under a mark, in winter and in summer", () => {
  expect(formatZonedInstant(new Date("2026-11-21T14:16:04Z"))).toBe(
    "21/11/2026 à 15:16:04 (UTC+1)",
  );
  expect(formatZonedInstant(new Date("2026-07-14T22:00:00Z"))).toBe(
    "15/07/2026 à 00:00:00 (UTC+2)",
  );
});
