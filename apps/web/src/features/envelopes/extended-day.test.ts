import { describe, expect, it } from "vitest";
import { extendedDay } from "./deadline-dialog.tsx";

const now = new Date("2026-11-21T10:00:00Z");

describe("the day a deadline is put off to", () => {
  it("is counted from the deadline while it is ahead, from today once it has passed", () => {
    expect(extendedDay("2026-11-28T22:59:59Z", { days: 7, now })).toBe("2026-12-05");
    expect(extendedDay("2026-11-20T22:59:59Z", { days: 7, now })).toBe("2026-11-28");
    expect(extendedDay(null, { days: 30, now })).toBe("2026-12-21");
  });
  it("is a day of Paris, over midnight and the change of hour", () => {
    expect(extendedDay("2027-03-27T23:30:00Z", { days: 7, now })).toBe("2027-04-04");
  });
});
