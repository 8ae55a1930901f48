import { expect, test } from "vitest";
import { draftChanges } from "../draft/draft-keeper.ts";
import { EMPTY_DRAFT } from "../draft/draft.ts";
import {
  deadlineFault,
  deadlineFinding,
  deadlineInstant,
  deadlineWarning,
  lastDeadlineDay,
} from "./deadline.ts";

test("a deadline on a public holiday says which one", () => {
  expect(deadlineWarning("2026-11-11")).toBe("Le 11\u00a0novembre est férié (Armistice 1918).");
  expect(deadlineWarning("2027-05-01")).toBe("Le 1er\u00a0mai est férié (Fête du Travail).");
  expect(deadlineWarning("2027-03-29")).toBe("Le 29\u00a0mars est férié (Lundi de Pâques).");
  expect(deadlineFinding("2027-05-01")).toBe("Échéance un jour férié (1er\u00a0mai)");
});

test("a deadline on a week-end says which day", () => {
  expect(deadlineWarning("2026-12-05")).toBe("Le 5\u00a0décembre est un samedi.");
  expect(deadlineFinding("2026-12-06")).toBe("Échéance un dimanche (6\u00a0décembre)");
  expect(deadlineFinding("2027-11-01")).toBe("Échéance un jour férié (1er\u00a0novembre)");
});

test("a working day, no day and an invalid day give no warning", () => {
  for (const day of ["2026-11-12", "2026-12-26T00", "", "2026-02-30", "31/12/2026"]) {
    expect(deadlineWarning(day)).toBeUndefined();
    expect(deadlineFinding(day)).toBeUndefined();
  }
});

const now = new Date("2026-11-21T14:00:00Z");

test("a deadline lies between today and two years from now", () => {
  expect(lastDeadlineDay(now)).toBe("2028-11-21");
  for (const day of ["", "2026-11-21", "2028-11-21"])
    expect(deadlineFault(day, now)).toBeUndefined();
  expect(deadlineFault("2026-11-20", now)).toBe("L'échéance doit être dans le futur");
  expect(deadlineFault("2028-11-22", now)).toBe("L’échéance doit être dans les deux ans");
  expect(deadlineFault("31/02/2027", now)).toBe("Date invalide");
});

test("the last day ends at the last accepted instant, any other in the evening", () => {
  expect(deadlineInstant("2028-11-20", now)).toBe("2028-11-20T22:59:59.000Z");
  expect(deadlineInstant("2028-11-21", now)).toBe("2028-11-21T13:55:00.000Z");
  // Two years from a day's first minutes end the day before.
  expect(lastDeadlineDay(new Date("2026-11-20T23:02:00Z"))).toBe("2028-11-20");
});

test("a refused deadline is not sent, but the other changes are", () => {
  const change = (deadline: string) =>
    draftChanges(
      { ...EMPTY_DRAFT, title: "Bail", deadline },
      { dirty: new Set(["title", "deadline"] as const), now },
    )?.body;
  expect(change("2026-11-20")).toEqual({ title: "Bail" });
  expect(change("2028-11-22")).toEqual({ title: "Bail" });
  expect(change("2028-11-21")).toEqual({ title: "Bail", deadline_at: "2028-11-21T13:55:00.000Z" });
  expect(change("")).toEqual({ title: "Bail", deadline_at: null });
});
