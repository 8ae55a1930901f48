import { type StoredStatus } from "@paraphe/contracts";
import { describe, expect, test, vi } from "vitest";
import { recipientOf } from "../../../../testing/recipient.ts";
import {
  announcedAt,
  decideExtension,
  decideExtensionRequest,
  decideWarning,
  extendedDeadline,
  isNews,
  purgeAt,
  retentionStart,
  warnedBy,
} from "./deadlines.ts";
import { type Envelope, type EnvelopeRecipient, daysRemaining } from "./envelope.ts";
import { openingFrom, planReminders, reminderSlot } from "./reminders.ts";

const at = (text: string) => new Date(text);

const NOW = new Date("2027-01-11T09:00:00Z");
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

test("a deadline is announced once stable for two minutes, within its last hour at once", () => {
  expect(announcedAt(inMinutes(60), NOW)).toEqual(inMinutes(2));
  expect(announcedAt(null, NOW)).toEqual(inMinutes(2));
  expect(announcedAt(inMinutes(59), NOW)).toBeNull();
});

test("the deadline that somebody knows is no news, unless their link had expired meanwhile", () => {
  const known = { knownDeadlineAt: inMinutes(90), reopened: false };
  expect(isNews(known, inMinutes(90))).toBe(false);
  expect(isNews(known, inMinutes(91))).toBe(true);
  expect(isNews({ ...known, reopened: true }, inMinutes(90))).toBe(true);
  expect(isNews({ knownDeadlineAt: null, reopened: false }, inMinutes(90))).toBe(true);
});

describe("the decision of an extension", () => {
  const now = new Date("2026-11-21T10:00:00Z");
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  const person = (rest: Partial<EnvelopeRecipient> = {}) =>
    recipientOf({ awaited: false, notifiedAt: now, ...rest });
  type Part = Partial<Pick<Envelope, "status" | "flow" | "deadlineAt" | "signedCount">>;
  const subject = (part: Part = {}, recipients = [person()]) => ({
    envelope: {
      status: "expired" as const,
      flow: "parallel" as const,
      deadlineAt: inHours(-24),
      signedCount: 0,
      ...part,
    },
    recipients,
  });
  const codeOf = (result: { ok: boolean; error?: { code: string; errors?: unknown } }) =>
    result.ok ? "ok" : result.error?.code;

  test("a longer deadline gives an expired envelope its status back", () => {
    expect(decideExtension(subject(), { deadlineAt: inHours(24), now })).toMatchObject({
      ok: true,
      value: { status: "sent", reopened: true },
    });
    expect(
      decideExtension(subject({ signedCount: 1 }), { deadlineAt: inHours(24), now }),
    ).toMatchObject({
      value: { status: "pending" },
    });
  });

  test("a longer deadline leaves an open envelope as it is, also one whose deadline passed before a job closed it", () => {
    const open = decideExtension(subject({ status: "pending", deadlineAt: inHours(1) }), {
      deadlineAt: inHours(24),
      now,
    });
    expect(open).toMatchObject({ ok: true, value: { status: "pending", reopened: false } });
    const late = decideExtension(subject({ status: "sent", deadlineAt: inHours(-1) }), {
      deadlineAt: inHours(24),
      now,
    });
    expect(late).toMatchObject({ ok: true, value: { status: "sent", reopened: true } });
  });

  test("a longer deadline awaits those whose turn it was", () => {
    const people = [
      person({ id: "a", order: 1, status: "signed" }),
      person({ id: "b", order: 2 }),
      person({ id: "c", order: 3 }),
    ];
    const decided = decideExtension(subject({ flow: "sequential", signedCount: 1 }, people), {
      deadlineAt: inHours(24),
      now,
    });
    expect(decided.ok && [...decided.value.awaited]).toEqual(["b"]);
  });

  test("a longer deadline must be later than the present one, in the future and within two years", () => {
    const refused = (
      deadlineAt: Date,
      part: Part = { status: "sent", deadlineAt: inHours(48) },
    ) => {
      const result = decideExtension(subject(part), { deadlineAt, now });
      return result.ok ? "ok" : result.error.errors?.["deadline_at"]?.[0];
    };
    expect(refused(inHours(48))).toBe("Choisissez une date après l’échéance actuelle");
    expect(refused(inHours(47))).toBe("Choisissez une date après l’échéance actuelle");
    expect(refused(now)).toBe("L'échéance doit être dans le futur");
    expect(refused(inHours(24 * 800))).toBe("L’échéance doit être dans les deux ans");
    expect(refused(inHours(49))).toBe("ok");
  });

  test("an extension needs a deadline", () => {
    expect(
      codeOf(
        decideExtension(subject({ status: "sent", deadlineAt: null }), {
          deadlineAt: inHours(24),
          now,
        }),
      ),
    ).toBe("no_deadline");
    for (const status of ["draft", "completed", "declined", "cancelled"] as const)
      expect(codeOf(decideExtension(subject({ status }), { deadlineAt: inHours(24), now }))).toBe(
        "invalid_state",
      );
  });

  test("the announcement of a near deadline replaces its warning", () => {
    expect([12, 24, 30, 48, 72].map((hours) => warnedBy(inHours(hours), now))).toEqual([
      1,
      1,
      2,
      2,
      null,
    ]);
  });

  const ask = (
    part: Part,
    recipient: Partial<EnvelopeRecipient> = {},
    lastNotifiedAt: Date | null = null,
  ) =>
    decideExtensionRequest(subject(part, [person(recipient)]), {
      recipientId: "a",
      lastNotifiedAt,
      now,
    });

  test("a request for more time reaches the sender once a day", () => {
    expect(ask({})).toMatchObject({ ok: true, value: { notifiesSender: true } });
    expect(ask({}, {}, inHours(-23))).toMatchObject({
      ok: true,
      value: { notifiesSender: false },
    });
    expect(ask({}, {}, inHours(-24))).toMatchObject({
      ok: true,
      value: { notifiesSender: true },
    });
    expect(ask({ status: "sent", deadlineAt: inHours(-0.01) })).toMatchObject({
      ok: true,
      value: { notifiesSender: true },
    });
  });

  test("a request for more time is refused to whoever has nothing to sign, or may still sign", () => {
    expect(codeOf(ask({}, { role: "viewer" }))).toBe("viewer_cannot_sign");
    expect(codeOf(ask({}, { status: "signed" }))).toBe("already_signed");
    expect(codeOf(ask({}, { id: "b" }))).toBe("not_found");
    expect(codeOf(ask({ status: "sent", deadlineAt: inHours(1) }))).toBe("deadline_ahead");
    expect(codeOf(ask({ status: "pending", deadlineAt: null }))).toBe("deadline_ahead");
    for (const status of ["draft", "completed", "declined", "cancelled"] as const)
      expect(codeOf(ask({ status }))).toBe("invalid_state");
  });
});

const cancelled = at("2026-03-25T13:30:00Z");

test("days before the purge are 10 at the cancellation and 0 after ten whole days", () => {
  expect(daysRemaining(cancelled, cancelled)).toBe(10);
  expect(daysRemaining(cancelled, at("2026-03-26T13:29:59Z"))).toBe(10);
  expect(daysRemaining(cancelled, at("2026-03-26T13:30:00Z"))).toBe(9);
  expect(daysRemaining(cancelled, purgeAt(cancelled))).toBe(0);
});

test("days before the purge fall at the same time on the clock over the spring change, not an hour late", () => {
  expect(daysRemaining(cancelled, at("2026-03-29T12:29:59Z"))).toBe(7);
  expect(daysRemaining(cancelled, at("2026-03-29T12:30:00Z"))).toBe(6);
  expect(daysRemaining(cancelled, at("2026-04-03T12:30:00Z"))).toBe(1);
  expect(daysRemaining(cancelled, at("2026-04-04T12:29:59Z"))).toBe(1);
});

test("days before the purge count 29 February", () => {
  expect(purgeAt(at("2028-02-20T08:00:00Z"))).toEqual(at("2028-03-01T08:00:00Z"));
});

test("days before the purge are never below 0", () => {
  expect(daysRemaining(cancelled, at("2027-01-01T00:00:00Z"))).toBe(0);
});

const paris = new Intl.DateTimeFormat("fr-FR", {
  timeZone: "Europe/Paris",
  dateStyle: "short",
  timeStyle: "short",
  hourCycle: "h23",
});
/** Gives the time on the clocks of Paris. */
const clock = (moment: Date | null) => (moment === null ? null : paris.format(moment));

const person = (rest: object = {}) => ({
  id: "a",
  awaited: true,
  askedAt: at("2026-11-16T09:00:00Z") as Date | null,
  automaticReminders: 0,
  wrongTries: 0,
  role: "visa" as const,
  order: 1,
  notifiedAt: at("2026-11-16T09:00:00Z") as Date | null,
  reassignedAt: null as Date | null,
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
    circuit = null as Envelope["circuit"],
  } = {},
) => {
  const envelope = { status, deadlineAt: deadline, remindEveryDays: every, circuit };
  const { due, nextAt } = planReminders({ envelope, recipients: people, consenting }, now);
  return { due: due.map(({ id }) => id), next: clock(nextAt) };
};

/** A circuit whose visa has this limit and these reminders. */
const limited = (days: number | null, remind: "eve" | "daily" | null): Envelope["circuit"] => ({
  id: "c",
  name: "Conventions",
  imposed: false,
  brought: [],
  steps: [
    { role: "visa", order: 1, who: "person", may_return: true, may_reassign: true, days, remind },
  ],
});

test("a step's reminders come on the business day before its last one, then once it is late", () => {
  // Asked on Thursday 19 November 2026: two business days end on Monday 23.
  const asked = at("2026-11-19T09:00:00Z");
  const of = (rest: object = {}) => ({
    every: null,
    circuit: limited(2, "eve"),
    people: [person({ askedAt: asked, notifiedAt: asked, ...rest })],
  });
  expect(plan(asked, of())).toEqual({ due: [], next: "20/11/2026 09:00" });
  expect(plan(at("2026-11-20T08:00:00Z"), of())).toEqual({ due: ["a"], next: "24/11/2026 09:00" });
  const reminded = of({ askedAt: at("2026-11-20T08:00:00Z") });
  expect(plan(at("2026-11-23T16:00:00Z"), reminded).due).toEqual([]);
  expect(plan(at("2026-11-24T08:00:00Z"), reminded)).toEqual({ due: ["a"], next: null });
  // A step given to somebody else, or sent back, counts its days again.
  const given = of({
    reassignedAt: at("2026-11-23T09:00:00Z"),
    askedAt: at("2026-11-23T09:00:00Z"),
  });
  expect(plan(at("2026-11-24T07:59:00Z"), given)).toEqual({ due: [], next: "24/11/2026 09:00" });
});

test("a step without a limit may be reminded each business day; a step with only a limit, once late", () => {
  const daily = { every: null, circuit: limited(null, "daily") };
  expect(plan(at("2026-11-16T09:30:00Z"), daily).next).toBe("17/11/2026 10:00");
  const quiet = { every: null, circuit: limited(1, null) };
  expect(plan(at("2026-11-16T09:30:00Z"), quiet).next).toBe("18/11/2026 09:00");
  expect(plan(at("2026-11-18T08:00:00Z"), quiet)).toEqual({ due: ["a"], next: null });
});

test("business hours are from 9 h to 18 h in Paris, winter and summer", () => {
  expect(clock(openingFrom(at("2026-11-23T07:59:59Z")))).toBe("23/11/2026 09:00");
  expect(openingFrom(at("2026-11-23T08:00:00Z"))).toEqual(at("2026-11-23T08:00:00Z"));
  expect(openingFrom(at("2026-11-23T16:59:59Z"))).toEqual(at("2026-11-23T16:59:59Z"));
  expect(clock(openingFrom(at("2026-11-23T17:00:00Z")))).toBe("24/11/2026 09:00");
  expect(openingFrom(at("2026-07-15T06:59:59Z"))).toEqual(at("2026-07-15T07:00:00Z"));
  expect(clock(openingFrom(at("2026-07-15T16:00:00Z")))).toBe("16/07/2026 09:00");
});

test("business hours resume on Monday at 9 h by the new clock after the change of hour", () => {
  expect(openingFrom(at("2026-03-27T20:00:00Z"))).toEqual(at("2026-03-30T07:00:00Z"));
  expect(openingFrom(at("2026-10-23T20:00:00Z"))).toEqual(at("2026-10-26T08:00:00Z"));
});

test("business hours exclude 1 May, Easter Monday and 1 January, not 31 December", () => {
  expect(clock(openingFrom(at("2026-05-01T08:00:00Z")))).toBe("04/05/2026 09:00");
  expect(clock(openingFrom(at("2026-04-06T08:00:00Z")))).toBe("07/04/2026 09:00");
  expect(clock(openingFrom(at("2026-12-31T09:30:00Z")))).toBe("31/12/2026 10:30");
  expect(clock(openingFrom(at("2026-12-31T17:00:00Z")))).toBe("04/01/2027 09:00");
});

test("the next reminder is at the same time of day, n days after the request", () => {
  expect(clock(reminderSlot(at("2026-11-16T09:30:00Z"), 3))).toBe("19/11/2026 10:30");
  expect(clock(reminderSlot(at("2026-03-26T09:30:00Z"), 5))).toBe("31/03/2026 10:30");
});

test("the next reminder waits for 9 h after an evening request, and for Monday after a Friday", () => {
  expect(clock(reminderSlot(at("2026-11-16T20:00:00Z"), 1))).toBe("18/11/2026 09:00");
  expect(clock(reminderSlot(at("2026-11-20T09:00:00Z"), 1))).toBe("23/11/2026 09:00");
});

test("the next reminder is never within 24 hours, though a day of the spring has 23", () => {
  // Monday 30 March 2026 follows a request at noon on Saturday by the old clock: one day later by
  // the clock is less than 24 hours.
  const asked = at("2026-03-28T11:30:00Z");
  expect(reminderSlot(asked, 1).getTime() - asked.getTime()).toBeGreaterThanOrEqual(86_400_000);
  for (let hour = 0; hour < 24 * 400; hour += 5) {
    const moment = new Date(at("2026-01-01T00:00:00Z").getTime() + hour * 3_600_000);
    expect(reminderSlot(moment, 1).getTime() - moment.getTime()).toBeGreaterThanOrEqual(86_400_000);
  }
});

test("automatic reminders go to those awaited for n days", () => {
  expect(plan(at("2026-11-18T08:59:00Z"))).toEqual({ due: [], next: "18/11/2026 10:00" });
  expect(plan(at("2026-11-18T09:00:00Z"))).toEqual({ due: ["a"], next: "20/11/2026 10:00" });
  expect(plan(at("2026-11-18T09:00:00Z"), { people: [person({ awaited: false })] })).toEqual({
    due: [],
    next: null,
  });
});

test("missed automatic reminders wait for business hours", () => {
  expect(plan(at("2026-11-18T18:30:00Z"))).toEqual({ due: [], next: "19/11/2026 09:00" });
  expect(plan(at("2026-11-21T10:00:00Z"))).toEqual({ due: [], next: "23/11/2026 09:00" });
});

test("automatic reminders are not sent without the setting, nor in an envelope that is closed", () => {
  expect(plan(at("2026-11-18T09:00:00Z"), { every: null })).toEqual({ due: [], next: null });
  for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const)
    expect(plan(at("2026-11-18T09:00:00Z"), { status })).toEqual({ due: [], next: null });
});

test("automatic reminders are ten at most for each person", () => {
  expect(plan(at("2026-11-18T09:00:00Z"), { people: [person({ automaticReminders: 9 })] })).toEqual(
    { due: ["a"], next: null },
  );
  expect(
    plan(at("2026-11-18T09:00:00Z"), { people: [person({ automaticReminders: 10 })] }),
  ).toEqual({ due: [], next: null });
});

test("automatic reminders stop at the deadline", () => {
  expect(plan(at("2026-11-18T09:00:00Z"), { deadline: at("2026-11-19T22:59:59Z") })).toEqual({
    due: ["a"],
    next: null,
  });
  expect(plan(at("2026-11-18T09:00:00Z"), { deadline: at("2026-11-18T09:00:00Z") })).toEqual({
    due: [],
    next: null,
  });
});

test("automatic reminders leave out consents, people never asked, and links frozen by wrong codes", () => {
  const now = at("2026-11-18T09:00:00Z");
  expect(plan(now, { consenting: new Set(["a"]) }).due).toEqual([]);
  expect(plan(now, { people: [person({ askedAt: null })] }).due).toEqual([]);
  expect(plan(now, { people: [person({ wrongTries: 20 })] }).due).toEqual([]);
});

test("automatic reminders follow each person's own last message", () => {
  const people = [person(), person({ id: "b", askedAt: at("2026-11-17T14:00:00Z") })];
  expect(plan(at("2026-11-18T09:00:00Z"), { people })).toEqual({
    due: ["a"],
    next: "19/11/2026 15:00",
  });
});

test("a plan for a hundred people reads the calendar once", () => {
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

const deadlineAt = new Date("2026-11-28T17:00:00.000Z");
const hoursBefore = (hours: number) => new Date(deadlineAt.getTime() - hours * 3_600_000);
const open = { status: "sent", deadlineAt, sentAt: hoursBefore(200), warnedDays: null } as const;

test.each([
  [49, null, null],
  [48, null, 2],
  [30, null, 2],
  [30, 2, null],
  [24, 2, 1],
  [24, null, 1],
  [1, 1, null],
  [0, 2, null],
  [-1, null, null],
] as const)("%i hours before the deadline, warned %j days before: %j", (hours, warnedDays, due) => {
  expect(decideWarning({ ...open, warnedDays }, hoursBefore(hours))).toBe(due);
});

test("an envelope sent after a warning's moment gets the next one only", () => {
  const late = { ...open, sentAt: hoursBefore(40) };
  expect(decideWarning(late, hoursBefore(39))).toBeNull();
  expect(decideWarning(late, hoursBefore(24))).toBe(1);
  expect(decideWarning({ ...open, sentAt: hoursBefore(23) }, hoursBefore(22))).toBeNull();
});

test("only an open envelope with a deadline has warnings", () => {
  for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const)
    expect(decideWarning({ ...open, status }, hoursBefore(24))).toBeNull();
  expect(decideWarning({ ...open, status: "pending" }, hoursBefore(24))).toBe(1);
  expect(decideWarning({ ...open, deadlineAt: null }, hoursBefore(24))).toBeNull();
});

const extended = (deadline: string, now: string) =>
  extendedDeadline(new Date(deadline), new Date(now)).toISOString();

test("an extension by default adds a week, to the end of the day in Paris", () => {
  expect(extended("2026-11-25T22:59:59Z", "2026-11-21T10:00:00Z")).toBe("2026-12-02T22:59:59.000Z");
  expect(extended("2026-11-25T09:30:00Z", "2026-11-21T10:00:00Z")).toBe("2026-12-02T22:59:59.000Z");
});

test("an extension of a passed deadline by default adds a week to today in Paris", () => {
  expect(extended("2026-11-20T22:59:59Z", "2026-11-21T10:00:00Z")).toBe("2026-11-28T22:59:59.000Z");
  // The second moment is half past midnight on the 22nd in Paris.
  expect(extended("2026-11-20T22:59:59Z", "2026-11-21T23:30:00Z")).toBe("2026-11-29T22:59:59.000Z");
});

test("a change of clocks does not move the end of an extended day", () => {
  expect(extended("2027-03-24T22:59:59Z", "2027-03-20T10:00:00Z")).toBe("2027-03-31T21:59:59.000Z");
  expect(extended("2026-10-22T21:59:59Z", "2026-10-20T10:00:00Z")).toBe("2026-10-29T22:59:59.000Z");
});

test.each([
  ["2036-11-21T10:00:00.000Z", "2026-11-21T10:00:00.000Z"],
  ["2037-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ["2036-02-29T12:00:00.000Z", "2026-02-28T12:00:00.000Z"],
  ["2036-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
])("at %s, what was closed by %s is kept no longer", (now, start) => {
  expect(retentionStart(new Date(now)).toISOString()).toBe(start);
});
