import { expect, test } from "vitest";
import { deadlineFinding, deadlineWarning } from "./deadline-day.ts";

test("a deadline on a public holiday says which one", () => {
  expect(deadlineWarning("2026-11-11")).toBe("Le 11 novembre est férié (Armistice 1918).");
  expect(deadlineWarning("2027-05-01")).toBe("Le 1er mai est férié (Fête du Travail).");
  expect(deadlineWarning("2027-03-29")).toBe("Le 29 mars est férié (Lundi de Pâques).");
  expect(deadlineFinding("2027-05-01")).toBe("Échéance un jour férié (1er mai)");
});

test("a deadline on a week-end says which day", () => {
  expect(deadlineWarning("2026-12-05")).toBe("Le 5 décembre est un samedi.");
  expect(deadlineFinding("2026-12-06")).toBe("Échéance un dimanche (6 décembre)");
  expect(deadlineFinding("2027-11-01")).toBe("Échéance un jour férié (1er novembre)");
});

test("a deadline on any other day, none, and what is no date say nothing", () => {
  for (const day of ["2026-11-12", "2026-12-26T00", "", "2026-02-30", "31/12/2026"]) {
    expect(deadlineWarning(day)).toBeUndefined();
    expect(deadlineFinding(day)).toBeUndefined();
  }
});
