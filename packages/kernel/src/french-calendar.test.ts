import { describe, expect, it } from "vitest";
import { easterSunday, frenchHoliday, isBusinessDay, isWeekend } from "./french-calendar.ts";
import { addDays } from "./paris-days.ts";

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
