import { expect, test } from "vitest";
import { extendedDeadline } from "./extended-deadline.ts";

const extended = (deadline: string, now: string) => extendedDeadline(new Date(deadline), new Date(now)).toISOString();

test("a deadline to come is put off by a week, to the end of the day in Paris", () => {
  expect(extended("2026-11-25T22:59:59Z", "2026-11-21T10:00:00Z")).toBe("2026-12-02T22:59:59.000Z");
  expect(extended("2026-11-25T09:30:00Z", "2026-11-21T10:00:00Z")).toBe("2026-12-02T22:59:59.000Z");
});

test("one that has passed is put off by a week from today, by the calendar of Paris", () => {
  expect(extended("2026-11-20T22:59:59Z", "2026-11-21T10:00:00Z")).toBe("2026-11-28T22:59:59.000Z");
  // Half past midnight of the 22nd in Paris.
  expect(extended("2026-11-20T22:59:59Z", "2026-11-21T23:30:00Z")).toBe("2026-11-29T22:59:59.000Z");
});

test("the clocks that change meanwhile do not move the end of the day", () => {
  expect(extended("2027-03-24T22:59:59Z", "2027-03-20T10:00:00Z")).toBe("2027-03-31T21:59:59.000Z");
  expect(extended("2026-10-22T21:59:59Z", "2026-10-20T10:00:00Z")).toBe("2026-10-29T22:59:59.000Z");
});
