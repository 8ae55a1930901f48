import { describe, expect, test, it } from "vitest";
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
  easterSunday,
  frenchHoliday,
  isBusinessDay,
  isWeekend,
} from "./french-dates.ts";
import { addDays } from "./paris-time.ts";

describe("French dates", () => {
  test.each([
    ["2026-11-21T14:16:04.000Z", "21 novembre 2026 à\u00a015\u00a0h\u00a016"],
    ["2026-11-30T23:05:00.000Z", "1er décembre 2026 à\u00a000\u00a0h\u00a005"],
    ["2026-03-29T00:59:00.000Z", "29 mars 2026 à\u00a001\u00a0h\u00a059"],
    ["2026-03-29T01:00:00.000Z", "29 mars 2026 à\u00a003\u00a0h\u00a000"],
    ["2028-02-29T11:00:00.000Z", "29 février 2028 à\u00a012\u00a0h\u00a000"],
  ])("%s is %s in Paris", (instant, moment) => {
    expect(formatInstant(instant)).toBe(moment);
  });

  test("writes the first of a month as 1er, with and without its year", () => {
    expect(formatLongDay("2027-05-01T10:00:00.000Z")).toBe("1er mai 2027");
    expect(formatLongDayMonth("2027-05-01T10:00:00.000Z")).toBe("1er mai");
    expect(formatLongDayMonth("2026-11-28T22:59:00.000Z")).toBe("28 novembre");
    expect(formatLongDayMonth("2026-11-11T22:59:00.000Z")).toBe("11 novembre");
  });
});

test("writes one instant in each form, in Paris", () => {
  expect(formatDay("2026-11-21T11:38:00Z")).toBe("21 nov. 2026");
  expect([formatDay("2027-05-01T08:00:00Z"), formatDay("2027-01-11T08:00:00Z")]).toEqual([
    "1er mai 2027",
    "11 janv. 2027",
  ]);
  expect(formatDayMonth("2026-11-21T11:38:00Z")).toBe("21 nov.");
  expect(formatWeekday("2027-05-01T08:00:00Z")).toBe("samedi 1er mai 2027");
  expect(formatNearDay("2027-05-01T08:00:00Z")).toBe("samedi 1er");
  expect(formatNearDay("2026-11-24T23:30:00Z")).toBe("mercredi 25");
  expect(formatExactInstant("2026-11-21T11:38:05Z")).toBe(
    "21 novembre 2026 à\u00a012\u00a0h\u00a038\u00a0min\u00a005\u00a0s",
  );
  expect(formatShortInstant("2026-11-21T11:38:00Z")).toBe("21 nov. 2026 à\u00a012\u00a0h\u00a038");
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

function holidaysOf(year: number): string[] {
  const days: string[] = [];
  for (let day = `${year}-01-01`; day.startsWith(String(year)); day = addDays(day, 1))
    if (frenchHoliday(day)) days.push(day.slice(5));
  return days;
}

describe("public holidays in France", () => {
  it("move with Easter as in published calendars", () => {
    expect(
      [1981, 2000, 2008, 2011, 2019, 2024, 2025, 2026, 2027, 2038, 2049, 2076].map(easterSunday),
    ).toEqual([
      "1981-04-19",
      "2000-04-23",
      "2008-03-23",
      "2011-04-24",
      "2019-04-21",
      "2024-03-31",
      "2025-04-20",
      "2026-04-05",
      "2027-03-28",
      "2038-04-25",
      "2049-04-18",
      "2076-04-19",
    ]);
  });

  it("are eleven in 2026 and in 2027", () => {
    expect(holidaysOf(2026)).toEqual([
      "01-01",
      "04-06",
      "05-01",
      "05-08",
      "05-14",
      "05-25",
      "07-14",
      "08-15",
      "11-01",
      "11-11",
      "12-25",
    ]);
    expect(holidaysOf(2027)).toEqual([
      "01-01",
      "03-29",
      "05-01",
      "05-06",
      "05-08",
      "05-17",
      "07-14",
      "08-15",
      "11-01",
      "11-11",
      "12-25",
    ]);
  });

  it("have their names", () => {
    const days = [
      "01-01",
      "04-06",
      "05-01",
      "05-08",
      "05-14",
      "05-25",
      "07-14",
      "08-15",
      "11-01",
      "11-11",
      "12-25",
    ];
    expect(days.map((day) => frenchHoliday(`2026-${day}`))).toEqual([
      "Jour de l’an",
      "Lundi de Pâques",
      "Fête du Travail",
      "Victoire 1945",
      "Ascension",
      "Lundi de Pentecôte",
      "Fête nationale",
      "Assomption",
      "Toussaint",
      "Armistice 1918",
      "Noël",
    ]);
  });

  it("may coincide: Ascension 2008 was on 1 May", () => {
    expect(holidaysOf(2008)).toHaveLength(10);
    expect(frenchHoliday("2008-05-01")).toBe("Fête du Travail");
  });

  it("exclude those of Alsace and Moselle alone", () => {
    expect(["2026-04-03", "2026-12-26"].map(frenchHoliday)).toEqual([null, null]);
  });
});

describe("days", () => {
  it("continue over the ends of months and years", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2027-01-01", -1)).toBe("2026-12-31");
  });

  it("are weekend days on Saturday and Sunday", () => {
    expect(["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"].map(isWeekend)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("business days", () => {
  it("are Monday to Friday, except holidays", () => {
    expect(["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"].map(isBusinessDay)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(
      ["2026-04-06", "2026-05-01", "2026-12-25", "2026-12-31", "2027-01-01"].map(isBusinessDay),
    ).toEqual([false, false, false, true, false]);
  });
});
