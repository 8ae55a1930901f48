import { addDays } from "@paraphe/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addParisDays, daysRemaining, parisDay, purgeAt, startOfParisDay } from "./paris-days.ts";

const at = (text: string) => new Date(text);

describe("days of Paris", () => {
  it("begin at midnight there, in winter and in summer", () => {
    expect(startOfParisDay("2026-01-15")).toEqual(at("2026-01-14T23:00:00Z"));
    expect(startOfParisDay("2026-07-15")).toEqual(at("2026-07-14T22:00:00Z"));
    expect(parisDay(at("2026-07-14T22:00:00Z"))).toBe("2026-07-15");
    expect(parisDay(at("2026-07-14T21:59:59.999Z"))).toBe("2026-07-14");
  });

  it("last 23 hours when the clocks go forward and 25 when they go back", () => {
    const hours = (day: string) => (startOfParisDay(addDays(day, 1)).getTime() - startOfParisDay(day).getTime()) / 3_600_000;
    expect(hours("2026-03-29")).toBe(23);
    expect(hours("2026-10-25")).toBe(25);
    expect(hours("2026-03-28")).toBe(24);
  });

  it("keep the time on the clock over a change", () => {
    expect(addParisDays(at("2026-03-25T13:30:00Z"), 10)).toEqual(at("2026-04-04T12:30:00Z"));
    expect(addParisDays(at("2026-10-20T12:30:00.250Z"), 10)).toEqual(at("2026-10-30T13:30:00.250Z"));
  });

  it("take an hour that the spring skips an hour later, and one that the autumn repeats the first time", () => {
    expect(addParisDays(at("2026-03-28T01:30:00Z"), 1)).toEqual(at("2026-03-29T01:30:00Z"));
    expect(addParisDays(at("2026-10-24T00:30:00Z"), 1)).toEqual(at("2026-10-25T00:30:00Z"));
  });

  it("count 29 February and the turn of a year", () => {
    expect(purgeAt(at("2028-02-20T08:00:00Z"))).toEqual(at("2028-03-01T08:00:00Z"));
  });

  it("give back the day they were made of, whatever the day", () => {
    fc.assert(
      fc.property(fc.date({ min: at("2000-01-01T00:00:00Z"), max: at("2099-12-31T00:00:00Z"), noInvalidDate: true }), (instant) => {
        const day = parisDay(instant);
        expect(parisDay(startOfParisDay(day))).toBe(day);
        expect(startOfParisDay(day) <= instant && instant < startOfParisDay(addDays(day, 1))).toBe(true);
      }),
    );
  });
});

describe("days remaining before the purge", () => {
  const cancelled = at("2026-03-25T13:30:00Z");

  it("are 10 at the cancellation and 0 after ten whole days", () => {
    expect(daysRemaining(cancelled, cancelled)).toBe(10);
    expect(daysRemaining(cancelled, at("2026-03-26T13:29:59Z"))).toBe(10);
    expect(daysRemaining(cancelled, at("2026-03-26T13:30:00Z"))).toBe(9);
    expect(daysRemaining(cancelled, purgeAt(cancelled))).toBe(0);
  });

  it("fall at the same time on the clock over the spring change, not an hour late", () => {
    expect(daysRemaining(cancelled, at("2026-03-29T12:29:59Z"))).toBe(7);
    expect(daysRemaining(cancelled, at("2026-03-29T12:30:00Z"))).toBe(6);
    expect(daysRemaining(cancelled, at("2026-04-03T12:30:00Z"))).toBe(1);
    expect(daysRemaining(cancelled, at("2026-04-04T12:29:59Z"))).toBe(1);
  });

  it("are never below 0", () => {
    expect(daysRemaining(cancelled, at("2027-01-01T00:00:00Z"))).toBe(0);
  });
});
