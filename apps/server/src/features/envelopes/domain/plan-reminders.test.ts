import { describe, expect, it, vi } from "vitest";
import type { StoredStatus } from "@paraphe/contracts";
import { openingFrom, planReminders, reminderSlot } from "./plan-reminders.ts";

const at = (text: string) => new Date(text);
const paris = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", dateStyle: "short", timeStyle: "short", hourCycle: "h23" });
/** What the clocks of Paris show. */
const clock = (moment: Date | null) => (moment === null ? null : paris.format(moment));

const person = (rest: object = {}) => ({
  id: "a",
  awaited: true,
  askedAt: at("2026-11-16T09:00:00Z") as Date | null,
  automaticReminders: 0,
  wrongTries: 0,
  ...rest,
});
const plan = (
  now: Date,
  {
    people = [person()],
    every = 2 as number | null,
    deadline = null as Date | null,
    status = "sent" as StoredStatus,
    consenting = new Set<string>(),
  } = {},
) => {
  const envelope = { status, deadlineAt: deadline, remindEveryDays: every };
  const { due, nextAt } = planReminders({ envelope, recipients: people, consenting }, now);
  return { due: due.map(({ id }) => id), next: clock(nextAt) };
};

describe("when people are at work", () => {
  it("is from 9 h to 18 h in Paris, winter and summer", () => {
    expect(clock(openingFrom(at("2026-11-23T07:59:59Z")))).toBe("23/11/2026 09:00");
    expect(openingFrom(at("2026-11-23T08:00:00Z"))).toEqual(at("2026-11-23T08:00:00Z"));
    expect(openingFrom(at("2026-11-23T16:59:59Z"))).toEqual(at("2026-11-23T16:59:59Z"));
    expect(clock(openingFrom(at("2026-11-23T17:00:00Z")))).toBe("24/11/2026 09:00");
    expect(openingFrom(at("2026-07-15T06:59:59Z"))).toEqual(at("2026-07-15T07:00:00Z"));
    expect(clock(openingFrom(at("2026-07-15T16:00:00Z")))).toBe("16/07/2026 09:00");
  });

  it("is on Monday after the change of hour of a weekend, at 9 h by the new clock", () => {
    expect(openingFrom(at("2026-03-27T20:00:00Z"))).toEqual(at("2026-03-30T07:00:00Z"));
    expect(openingFrom(at("2026-10-23T20:00:00Z"))).toEqual(at("2026-10-26T08:00:00Z"));
  });

  it("is not on 1 May, nor on Easter Monday, nor on 1 January; 31 December is a day like another", () => {
    expect(clock(openingFrom(at("2026-05-01T08:00:00Z")))).toBe("04/05/2026 09:00");
    expect(clock(openingFrom(at("2026-04-06T08:00:00Z")))).toBe("07/04/2026 09:00");
    expect(clock(openingFrom(at("2026-12-31T09:30:00Z")))).toBe("31/12/2026 10:30");
    expect(clock(openingFrom(at("2026-12-31T17:00:00Z")))).toBe("04/01/2027 09:00");
  });
});

describe("the next reminder of somebody", () => {
  it("keeps the time on the clock, that many days after they were asked", () => {
    expect(clock(reminderSlot(at("2026-11-16T09:30:00Z"), 3))).toBe("19/11/2026 10:30");
    expect(clock(reminderSlot(at("2026-03-26T09:30:00Z"), 5))).toBe("31/03/2026 10:30");
  });

  it("waits for 9 h when they were asked in the evening, and for Monday after a Friday", () => {
    expect(clock(reminderSlot(at("2026-11-16T20:00:00Z"), 1))).toBe("18/11/2026 09:00");
    expect(clock(reminderSlot(at("2026-11-20T09:00:00Z"), 1))).toBe("23/11/2026 09:00");
  });

  it("is never within 24 hours, though a day of the spring has 23", () => {
    // Monday 30 March 2026, asked on the Sunday before at noon by the old clock: one day later by the clock is 24 hours.
    const asked = at("2026-03-28T11:30:00Z");
    expect(reminderSlot(asked, 1).getTime() - asked.getTime()).toBeGreaterThanOrEqual(86_400_000);
    for (let hour = 0; hour < 24 * 400; hour += 5) {
      const moment = new Date(at("2026-01-01T00:00:00Z").getTime() + hour * 3_600_000);
      expect(reminderSlot(moment, 1).getTime() - moment.getTime()).toBeGreaterThanOrEqual(86_400_000);
    }
  });
});

describe("automatic reminders", () => {
  it("are for those awaited whose days are over", () => {
    expect(plan(at("2026-11-18T08:59:00Z"))).toEqual({ due: [], next: "18/11/2026 10:00" });
    expect(plan(at("2026-11-18T09:00:00Z"))).toEqual({ due: ["a"], next: "20/11/2026 10:00" });
    expect(plan(at("2026-11-18T09:00:00Z"), { people: [person({ awaited: false })] })).toEqual({ due: [], next: null });
  });

  it("that the service missed wait for the next opening", () => {
    expect(plan(at("2026-11-18T18:30:00Z"))).toEqual({ due: [], next: "19/11/2026 09:00" });
    expect(plan(at("2026-11-21T10:00:00Z"))).toEqual({ due: [], next: "23/11/2026 09:00" });
  });

  it("are not sent without the setting, nor in an envelope that is closed", () => {
    expect(plan(at("2026-11-18T09:00:00Z"), { every: null })).toEqual({ due: [], next: null });
    for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const)
      expect(plan(at("2026-11-18T09:00:00Z"), { status })).toEqual({ due: [], next: null });
  });

  it("are ten at most for each person", () => {
    expect(plan(at("2026-11-18T09:00:00Z"), { people: [person({ automaticReminders: 9 })] })).toEqual({ due: ["a"], next: null });
    expect(plan(at("2026-11-18T09:00:00Z"), { people: [person({ automaticReminders: 10 })] })).toEqual({ due: [], next: null });
  });

  it("stop at the deadline", () => {
    expect(plan(at("2026-11-18T09:00:00Z"), { deadline: at("2026-11-19T22:59:59Z") })).toEqual({ due: ["a"], next: null });
    expect(plan(at("2026-11-18T09:00:00Z"), { deadline: at("2026-11-18T09:00:00Z") })).toEqual({ due: [], next: null });
  });

  it("leave out who has agreed already, who was never asked, and a link that wrong codes froze", () => {
    const now = at("2026-11-18T09:00:00Z");
    expect(plan(now, { consenting: new Set(["a"]) }).due).toEqual([]);
    expect(plan(now, { people: [person({ askedAt: null })] }).due).toEqual([]);
    expect(plan(now, { people: [person({ wrongTries: 20 })] }).due).toEqual([]);
  });

  it("follow each person's own last message", () => {
    const people = [person(), person({ id: "b", askedAt: at("2026-11-17T14:00:00Z") })];
    expect(plan(at("2026-11-18T09:00:00Z"), { people })).toEqual({ due: ["a"], next: "19/11/2026 15:00" });
  });
});

it("plans for a hundred people who were asked at a hundred moments without asking the calendar of each", () => {
  const people = Array.from({ length: 100 }, (_, index) =>
    person({ id: `p${index}`, askedAt: new Date(Date.UTC(2031, 4, 5, 9, 0, index)) }),
  );
  const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
  try {
    expect(plan(at("2031-05-05T10:00:00Z"), { people }).next).toBe("07/05/2031 11:00");
    expect(asked.mock.calls.length).toBeLessThan(20);
  } finally {
    asked.mockRestore();
  }
});
