import { describe, expect, test } from "vitest";
import { confirmedContacts, type FactEvent, readReaches, statedReach } from "./reaches.ts";

type Told = Readonly<Record<string, unknown>>;
type Entry = readonly [action: string, actor: string, detail: Told, destination?: string];

const journal = (...told: readonly Entry[]): readonly FactEvent[] =>
  told.map(([action, actor, detail, destination], index) => ({
    sequence: index + 1,
    at: new Date(Date.UTC(2026, 10, 21, 10, index)).toISOString(),
    actor,
    action,
    detail,
    personal: destination === undefined ? {} : { destination: { value: destination } },
  }));

const MAIL = "p•••@exemple.fr";
const PHONE = "•• •• •• 56 78";
const link = (channel: string, recipient = "r1"): Entry => [
  "recipient_invited",
  "user:u1",
  { recipient, channel },
  channel === "sms" ? PHONE : MAIL,
];
const sent = (code: string, channel: string): Entry => [
  "code_sent",
  "recipient:r1",
  { code, channel },
  channel === "sms" ? PHONE : MAIL,
];
const entered = (
  code: string,
  channel: string,
  link_channel?: string,
  actor = "recipient:r1",
): Entry => [
  "code_verified",
  actor,
  { code, channel, ...(link_channel === undefined ? {} : { link_channel }) },
];
const consent = (detail: Told, actor = "recipient:r1"): Entry => ["consent_given", actor, detail];
const reachOf = (...told: readonly Entry[]) =>
  readReaches(journal(...told)).reaches.get("r1") ?? null;

describe("a confirmed contact", () => {
  test.each([
    ["email", "email", ["email"]],
    ["email", "sms", ["email", "phone"]],
    ["sms", "email", ["email", "phone"]],
    ["sms", "sms", ["phone"]],
    ["email", "either", ["email"]],
    ["either", "email", ["email"]],
    ["either", "either", []],
    [null, "email", ["email"]],
  ] as const)("is, for a link by %s and a code by %s: %j", (way, code, contacts) => {
    expect(confirmedContacts({ link: way, code })).toEqual(contacts);
  });

  test("is an account's confirmed address, not an activated one", () => {
    expect([
      confirmedContacts({ isAddressConfirmed: true }),
      confirmedContacts({ isAddressConfirmed: false }),
    ]).toEqual([["email"], []]);
  });
});

describe("the reach of a consent", () => {
  test("is the code that it names and the link behind it, whatever else was sent", () => {
    const events = [
      link("email"),
      link("sms"),
      sent("c1", "email"),
      entered("c1", "email", "sms"),
      sent("c2", "sms"),
      entered("c2", "sms", "email"),
    ];
    expect(reachOf(...events, consent({ code: "c1" }))).toEqual({
      by: "link",
      link: { channel: "sms", destination: PHONE },
      code: { channel: "email", destination: MAIL },
      confirmed: ["email", "phone"],
    });
    expect(reachOf(...events, consent({ code: "c1" }), consent({ code: "c2" }))).toMatchObject({
      link: { channel: "email" },
      code: { channel: "sms" },
    });
  });

  test("is mail without address where a text could not be sent", () => {
    const events = [
      link("email"),
      sent("c1", "sms"),
      entered("c1", "email", "email"),
      consent({ code: "c1" }),
    ];
    expect(reachOf(...events)?.code).toEqual({ channel: "email", destination: null });
    expect(readReaches(journal(...events)).faults).toEqual([]);
  });

  test("is the account session of the recipient that it names", () => {
    const by = (account_address: string) =>
      reachOf(link("email"), consent({ recipient: "r1", account_address }, "user:u2"));
    expect(by("confirmed")).toEqual({
      by: "account",
      link: null,
      code: null,
      confirmed: ["email"],
      session: { openedBy: null, confirmedBy: null },
    });
    expect(by("unconfirmed")?.confirmed).toEqual([]);
  });

  test("is unknown when it names neither code nor account", () => {
    expect(reachOf(link("email"), consent({}))).toBeNull();
    expect(readReaches(journal(link("email"), consent({}))).faults).toEqual([]);
  });
});

test("a proof states neither the session nor what a provider vouched for", () => {
  const stated = { by: "account", link: null, code: null, confirmed: ["email"] } as const;
  const session = { openedBy: "passkey", confirmedBy: null };
  const vouched = { by: "proconnect.fr", facts: ["name"], siret: null };
  expect(statedReach({ ...stated, session, vouched })).toEqual(stated);
});

describe("a journal is contradictory when", () => {
  test.each<[string, readonly Entry[], string]>([
    [
      "has a consent under a code that nobody entered",
      [link("email"), sent("c1", "email"), consent({ code: "c1" })],
      "n°\u00a03",
    ],
    [
      "has a consent under a code that somebody else entered",
      [
        link("email"),
        link("email", "r2"),
        sent("c1", "email"),
        entered("c1", "email", "email", "recipient:r2"),
        consent({ code: "c1" }),
      ],
      "n°\u00a05",
    ],
    [
      "has a code that comes back by a text and went by mail",
      [link("email"), sent("c1", "email"), entered("c1", "sms", "email")],
      "n°\u00a03",
    ],
    [
      "has a code that comes back and was never sent",
      [link("email"), entered("c9", "email", "email")],
      "n°\u00a02",
    ],
    [
      "has a link opened from a text where none was texted",
      [link("email"), sent("c1", "email"), entered("c1", "email", "sms")],
      "n°\u00a03",
    ],
    [
      "has a link opened that never went",
      [sent("c1", "email"), entered("c1", "email", "email")],
      "n°\u00a02",
    ],
  ])("%s", (_what, told, place) => {
    const { faults } = readReaches(journal(...told));
    expect(faults[0]).toContain(place);
  });
});
