import { expect, test } from "vitest";
import { frenchDay, frenchMoment, frenchShortDay } from "./french-dates.ts";

test.each([
  ["2026-11-21T14:16:04.000Z", "21 novembre 2026 à 15\u00a0h\u00a016"],
  ["2026-11-30T23:05:00.000Z", "1er décembre 2026 à 0\u00a0h\u00a005"],
  ["2026-03-29T00:59:00.000Z", "29 mars 2026 à 1\u00a0h\u00a059"],
  ["2026-03-29T01:00:00.000Z", "29 mars 2026 à 3\u00a0h\u00a000"],
  ["2028-02-29T11:00:00.000Z", "29 février 2028 à 12\u00a0h\u00a000"],
])("%s is %s in Paris", (instant, moment) => {
  expect(frenchMoment(instant)).toBe(moment);
});

test("the first of a month is 1er, with and without its year", () => {
  expect(frenchDay("2027-05-01T10:00:00.000Z")).toBe("1er mai 2027");
  expect(frenchShortDay("2027-05-01T10:00:00.000Z")).toBe("1er mai");
  expect(frenchShortDay("2026-11-28T22:59:00.000Z")).toBe("28 novembre");
  expect(frenchShortDay("2026-11-11T22:59:00.000Z")).toBe("11 novembre");
});
