import { DELIVERY_FAILURES } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import { type Counted, budgetsOf, isQuiet, nextMorning, overspent } from "./notice.ts";
import { chooseChannels } from "../notices-for-member.ts";
import { deliveryFailure, isStale, retryAfterS, staleAnswer } from "./delivery-failure.ts";

describe("the channels of a notice to an account's owner", () => {
  const reachable = { verifiedPhone: "+33612345678", pushSubscribed: true };
  const chosen = (...names: readonly string[]) => ({
    email: names.includes("email"),
    sms: names.includes("sms"),
    push: names.includes("push"),
  });

  test.each([
    [["email"]],
    [["sms"]],
    [["push"]],
    [["email", "sms"]],
    [["email", "push"]],
    [["sms", "push"]],
    [["email", "sms", "push"]],
  ])("the channels are those chosen: %j", (names) => {
    expect(chooseChannels(chosen(...names), reachable)).toEqual(names);
  });

  test.each([
    ["a text without a number that is known to be theirs", ["sms"], { verifiedPhone: null }],
    ["a push without a browser", ["push"], { pushSubscribed: false }],
    [
      "a text and a push, neither of which reaches",
      ["sms", "push"],
      { verifiedPhone: "", pushSubscribed: false },
    ],
  ])("mail replaces the channel %s", (_what, names, missing) => {
    expect(chooseChannels(chosen(...names), { ...reachable, ...missing })).toEqual(["email"]);
  });

  test("a chosen channel that reaches is enough, without mail", () => {
    expect(chooseChannels(chosen("sms", "push"), { ...reachable, pushSubscribed: false })).toEqual([
      "sms",
    ]);
    expect(chooseChannels(chosen("sms", "push"), { ...reachable, verifiedPhone: null })).toEqual([
      "push",
    ]);
  });

  test("there is always a channel", () => {
    expect(chooseChannels(chosen(), reachable)).toEqual(["email"]);
  });
});

describe("the budgets of a day", () => {
  const one = {
    kind: "invitation",
    channel: "email",
    destination: "paul@exemple.fr",
    senderId: "anne",
  } as const;
  const text = { ...one, channel: "sms", destination: "+33612345678" } as const;
  const link = { ...one, kind: "activation", senderId: null } as const;
  const times = <T>(count: number, message: T): T[] => Array.from({ length: count }, () => message);
  const leave = (messages: readonly Counted[], spent: ReadonlyMap<string, number> = new Map()) =>
    overspent(messages, spent).filter((budget) => budget === null).length;

  test.each([
    ["one sender to one address", times(150, one), 100],
    ["one sender to one number", times(60, text), 10],
    [
      "all senders to one number",
      ["anne", "bruno", "chloé"].flatMap((senderId) => times(20, { ...text, senderId })),
      20,
    ],
    [
      "codes by text of one sender to one number",
      times(60, { ...text, kind: "code" } as const),
      20,
    ],
    [
      "codes by text to one number",
      ["anne", "bruno"].flatMap((senderId) =>
        times(60, { ...text, kind: "code", senderId } as const),
      ),
      30,
    ],
    ["links that anybody asks for", times(50, link), 10],
    [
      "one sender to everybody, by text",
      Array.from({ length: 600 }, (_, n) => ({ ...text, destination: `+336${n}` })),
      500,
    ],
    [
      "one sender's reminders to everybody",
      Array.from({ length: 20_100 }, (_, n) => ({
        ...one,
        kind: "reminder" as const,
        destination: `p${n}@exemple.fr`,
      })),
      20_000,
    ],
  ])("the budget of %s is as documented", (_what, messages, most) => {
    expect(leave(messages)).toBe(most);
  });

  test("only sent messages spend a budget, and no sender blocks another's", () => {
    const strangers = [
      ...times(300, link),
      ...Array.from({ length: 30 }, (_, n) =>
        times(150, { ...one, senderId: `stranger ${n}` }),
      ).flat(),
    ];
    expect(leave(strangers)).toBe(10 + 30 * 100);
    const others = [
      one,
      { ...link, kind: "reset" },
      { ...one, kind: "code" },
      { ...one, kind: "address_confirmation" },
    ] as const;
    expect(leave([...strangers, ...others])).toBe(10 + 30 * 100 + others.length);
    // Ten of the fifteen leave: the number has ten left for others.
    expect(
      leave([
        ...times(15, text),
        ...times(5, { ...text, senderId: "bruno" }),
        ...times(30, { ...text, senderId: "chloé" }),
      ]),
    ).toBe(20);
    expect(leave([...times(60, text), { ...text, kind: "code", senderId: "bruno" }])).toBe(11);
  });

  test("the budgets allow twenty people at one address, their reminders and their codes", () => {
    const office = ["invitation", "reminder", ...times(10, "code" as const)] as const;
    expect(leave(office.flatMap((kind) => times(20, { ...one, kind })))).toBe(20 * 12);
  });

  test("an address counts once in any case; ends and account warnings are not counted", () => {
    const spent = new Map(budgetsOf(one).map(({ of, limit }) => [of, limit]));
    expect(leave([one, { ...one, destination: "PAUL@exemple.fr" }], spent)).toBe(0);
    for (const kind of [
      "completed",
      "cancelled",
      "declined",
      "expired",
      "password_changed",
      "address_changing",
    ] as const)
      expect(budgetsOf({ ...one, kind })).toEqual([]);
  });
});

describe("a message that waits", () => {
  const createdAt = new Date("2026-11-21T10:00:00.000Z");
  const after = (seconds: number) => new Date(createdAt.getTime() + seconds * 1_000);

  test.each([
    ["code", 600],
    ["activation", 86_400],
    ["reset", 86_400],
    ["invitation", 172_800],
    ["completed", 172_800],
  ] as const)("of kind %s is worth sending for %i seconds", (kind, seconds) => {
    expect(isStale(kind, { createdAt, now: after(seconds) })).toBe(false);
    expect(isStale(kind, { createdAt, now: after(seconds + 1) })).toBe(true);
  });

  test("a message is retried after 10 s, then ever later, up to an hour", () => {
    expect([0, 1, 2, 8, 9, 400].map((tries) => retryAfterS(tries, 0))).toEqual([
      10, 20, 40, 2_560, 3_600, 3_600,
    ]);
    expect(retryAfterS(0, 1)).toBe(5);
  });

  test("a message that is given up stores the server's last answer", () => {
    expect(staleAnswer(null)).toBe("Délai de remise dépassé.");
    expect(staleAnswer("451 plus tard")).toBe(
      "Délai de remise dépassé. Dernière réponse\u00a0: 451 plus tard",
    );
  });
});

describe("a failed delivery", () => {
  const refused = { kind: "invitation", channel: "email", state: "refused" } as const;
  const why = (serverAnswer: string | null, rest: object = {}) =>
    deliveryFailure({ ...refused, serverAnswer, ...rest });

  describe("a mail that was refused", () => {
    test.each([
      [
        "550 5.1.1 <zoe@exemple.fr>: Recipient address rejected: User unknown in local recipient table",
        "unknown_address",
      ],
      ["550-5.1.1 The email account that you tried to reach does not exist.", "unknown_address"],
      ["550 5.4.1 Recipient address rejected: Access denied.", "unknown_address"],
      ["550 No such user here", "unknown_address"],
      ["550 Requested action not taken: mailbox unavailable", "unknown_address"],
      ["550 Utilisateur inconnu", "unknown_address"],
      ["551 not here", "unknown_address"],
      ["553 not allowed", "unknown_address"],
      ["550 5.1.2 Host unknown", "unknown_domain"],
      ["556 5.1.10 Recipient address has null MX", "unknown_domain"],
      ["550 5.4.4 Domain not found", "unknown_domain"],
      ["552 5.2.2 The email account is over quota", "mailbox_full"],
      ["552 Requested mail action aborted", "mailbox_full"],
      ["554 Mailbox full", "mailbox_full"],
      ["550 5.2.1 The account is disabled", "mailbox_disabled"],
      ["552 5.3.4 Message size exceeds fixed limit", "too_large"],
      ["550 5.7.1 Message rejected as spam by Content Filtering", "refused_as_spam"],
      [
        "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
        "refused_as_spam",
      ],
      [
        "550 5.7.26 Unauthenticated email from exemple.fr is not accepted due to domain's DMARC policy",
        "sender_refused",
      ],
      ["553 5.1.8 Sender domain does not exist", "sender_refused"],
      ["554 5.7.1 Relay access denied", "refused_by_policy"],
    ] as const)("with « %s » is told as %s", (answer, code) => {
      expect(why(answer)).toEqual({ code, detail: DELIVERY_FAILURES[code] });
    });

    test("an unclassified refusal is reported in the server's own words", () => {
      expect(why("554 5.6.0 Contenu illisible")).toEqual({
        code: "other",
        detail: "Contenu illisible",
      });
      expect(why("554")).toEqual({ code: "other", detail: DELIVERY_FAILURES.other });
      expect(why(null)).toEqual({ code: "other", detail: DELIVERY_FAILURES.other });
    });

    test("a mail given up after 48 hours is reported by the last answer, or by silence", () => {
      expect(why(staleAnswer(null))?.code).toBe("no_answer");
      expect(why(staleAnswer("connect ECONNREFUSED 192.0.2.1:25"))?.code).toBe("no_answer");
      expect(why(staleAnswer("451 4.7.1 liste grise"))?.code).toBe("no_answer");
      expect(why(staleAnswer("452 4.2.2 boîte pleine"))?.code).toBe("mailbox_full");
      expect(why(staleAnswer(null), { kind: "code" })).toEqual({
        code: "too_late",
        detail: "expiré avant l’envoi",
      });
    });
  });

  test("a refused text is reported by its number, or by the missing gateway", () => {
    expect(why("422 invalid number", { channel: "sms" })).toEqual({
      code: "number_refused",
      detail: "numéro refusé",
    });
    expect(why("not_offered", { channel: "sms" })?.code).toBe("not_offered");
    expect(why("restored", { channel: "email" })?.code).toBe("restored");
    expect(why(staleAnswer("503"), { channel: "sms" })?.code).toBe("no_answer");
  });

  test.each(["queued", "sent", "delivered", "withdrawn"] as const)(
    "a message that is %s has no failure",
    (state) => {
      expect(
        deliveryFailure({ ...refused, state, serverAnswer: "451 4.7.1 liste grise" }),
      ).toBeNull();
    },
  );
});

describe("quiet hours", () => {
  test.each([
    ["winter, at 19 h 59", "2026-11-21T18:59:59.999Z", false],
    ["winter, at 20 h", "2026-11-21T19:00:00.000Z", true],
    ["winter, at 7 h 59", "2026-11-22T06:59:59.999Z", true],
    ["winter, at 8 h", "2026-11-22T07:00:00.000Z", false],
    ["summer, at 19 h 59", "2026-07-14T17:59:59.999Z", false],
    ["summer, at 20 h", "2026-07-14T18:00:00.000Z", true],
    ["summer, at 7 h 59", "2026-07-15T05:59:59.999Z", true],
    ["summer, at 8 h", "2026-07-15T06:00:00.000Z", false],
    ["midnight", "2026-11-21T23:00:00.000Z", true],
  ])("the quiet hours are from 20 h to 8 h in Paris: %s", (_when, instant, quiet) => {
    expect(isQuiet(new Date(instant))).toBe(quiet);
  });

  test.each([
    ["in the evening, the next day", "2026-11-21T20:30:00.000Z", "2026-11-22T07:00:00.000Z"],
    ["after midnight, the same day", "2026-11-22T01:30:00.000Z", "2026-11-22T07:00:00.000Z"],
    ["in the day, the next", "2026-11-21T10:00:00.000Z", "2026-11-22T07:00:00.000Z"],
    ["at 8 h sharp, the next day", "2026-11-22T07:00:00.000Z", "2026-11-23T07:00:00.000Z"],
    ["in summer", "2026-07-14T20:30:00.000Z", "2026-07-15T06:00:00.000Z"],
    ["over the end of a year", "2026-12-31T22:30:00.000Z", "2027-01-01T07:00:00.000Z"],
    // The clocks go forward on 29 March 2026 at 2 h, back on 25 October 2026 at 3 h.
    ["in the night that has eleven hours", "2026-03-28T20:00:00.000Z", "2026-03-29T06:00:00.000Z"],
    ["in the night that has thirteen", "2026-10-24T19:00:00.000Z", "2026-10-25T07:00:00.000Z"],
    [
      "before 2 h of the day the clocks go forward",
      "2026-03-29T00:30:00.000Z",
      "2026-03-29T06:00:00.000Z",
    ],
    ["in the hour that comes twice", "2026-10-25T01:30:00.000Z", "2026-10-25T07:00:00.000Z"],
  ])("the next morning is 8 h in Paris: %s", (_when, now, morning) => {
    expect(nextMorning(new Date(now)).toISOString()).toBe(morning);
  });
});
