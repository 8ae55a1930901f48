import type { FieldType, Result, StoredStatus } from "@paraphe/contracts";
import { expect, it } from "vitest";
import type { EnvelopeAggregate, EnvelopeRecipient } from "../../envelopes/public.ts";
import { findSignatory } from "../code-access.ts";
import {
  type GuestAccess,
  type OwnField,
  type SigningSituation,
  checkFieldValues,
  checkGuestAccess,
  checkSigning,
  ownPlaces,
} from "./check-signing.ts";
import { decideCodeRequest, checkCode, resendIn, type SentCode } from "./codes.ts";

const now = new Date("2026-11-21T12:00:00Z");

const field = (type: FieldType, rest: Partial<OwnField> = {}): OwnField => ({
  id: type,
  type,
  required: false,
  value: null,
  ...rest,
});
const filling = {
  signerName: "Éloïse  Roux",
  today: "2026-11-21",
  firstMissing: (text: string) => /[^\n-\u02ff]/u.exec(text)?.[0] ?? null,
};
const check = (own: OwnField[], values: Record<string, string | null>) =>
  checkFieldValues({
    ...filling,
    own,
    submitted: Object.entries(values).map(([id, value]) => ({ id, value })),
  });
const printed = (own: OwnField, value: string | null) => {
  const result = check([own], { [own.id]: value });
  return result.ok
    ? result.value[0]?.value
    : (Object.values(result.error.errors ?? {})[0]?.[0] ?? result.error.code);
};

it("values of all fields are stored, blanks too, except those with the mark", () => {
  expect(
    check(
      [field("signature", { required: true }), field("text"), field("name"), field("initials")],
      {},
    ),
  ).toEqual({
    ok: true,
    value: [
      { id: "text", value: null },
      { id: "name", value: "Éloïse Roux" },
    ],
  });
});

it("prepared values may be emptied", () => {
  expect(check([field("text", { value: "prévu" })], {})).toMatchObject({
    value: [{ value: "prévu" }],
  });
  expect(check([field("text", { value: "prévu" })], { text: null })).toMatchObject({
    value: [{ value: null }],
  });
});

it("a required blank is refused, an unchecked box included", () => {
  for (const type of ["text", "checkbox"] as const) {
    expect(
      check([field(type, { required: true })], { [type]: type === "checkbox" ? "Non" : "  " }),
    ).toMatchObject({
      ok: false,
      error: { code: "field_required", errors: { [`fields.${type}`]: ["Champ obligatoire"] } },
    });
  }
  expect(printed(field("checkbox", { required: true }), "Oui")).toBe("Oui");
});

it("a date and a name fill themselves, whatever is posted", () => {
  for (const posted of ["01/01/1999", "Jean Valjean", "demain 😀", null]) {
    expect(printed(field("date", { required: true }), posted)).toBe("21/11/2026");
    expect(printed(field("name", { required: true }), posted)).toBe("Éloïse Roux");
  }
  expect(
    check([field("date", { required: true }), field("name", { required: true })], {}),
  ).toMatchObject({
    value: [{ value: "21/11/2026" }, { value: "Éloïse Roux" }],
  });
});

it("a name prepared by the sender is printed, a date never", () => {
  expect(printed(field("name", { value: "  Zoe\u0308\n Ouvrard " }), "Jean Valjean")).toBe(
    "Zoë Ouvrard",
  );
  expect(printed(field("date", { value: "01/01/1999" }), null)).toBe("21/11/2026");
});

it("a box takes Oui or Non, true and false too, blank being Non", () => {
  expect(printed(field("checkbox"), null)).toBe("Non");
  expect(printed(field("checkbox"), "true")).toBe("Oui");
  expect(printed(field("checkbox"), "false")).toBe("Non");
  expect(printed(field("checkbox"), "on")).toBe("Répondez par Oui ou Non.");
  expect(check([field("checkbox", { required: true })], { checkbox: "false" })).toMatchObject({
    error: { code: "field_required" },
  });
});

it("unprintable characters are refused on each field", () => {
  expect(
    check([field("text"), field("text", { id: "other" }), field("text", { id: "sound" })], {
      text: "Merci 😀",
      other: "李",
    }),
  ).toEqual({
    ok: false,
    error: {
      code: "unsupported_character",
      params: { character: "😀" },
      errors: {
        "fields.text": [
          "Le caractère « 😀 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.",
        ],
        "fields.other": [
          "Le caractère « 李 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.",
        ],
      },
    },
  });
});

it("a mention must equal the sentence, and is printed as typed", () => {
  const mention = field("mention", {
    required: true,
    value: "Lu et approuvé, bon pour l’accord",
  });
  expect(printed(mention, " Lu et approuvé,\n bon pour l'accord ")).toBe(
    "Lu et approuvé, bon pour l'accord",
  );
  expect(printed(mention, "Lu et approuve, bon pour l'accord")).toBe(
    "Attention aux accents\u00a0: écrivez «\u00a0approuvé,\u00a0», et non «\u00a0approuve,\u00a0».",
  );
  for (const short of ["Lu", "Lu et approuvé, bon pour l'accor"])
    expect(check([mention], { mention: short })).toMatchObject({
      ok: false,
      error: { code: "mention_differs" },
    });
});

it.each(["\u00ad", "\u200b", "\u200d", "\ufeff", "\u2060"])("a mention ignores %j", (hidden) => {
  const mention = field("mention", {
    required: true,
    value: `Lu${hidden} et appr${hidden}ouvé`,
  });
  expect(printed(mention, "Lu et approuvé")).toBe("Lu et approuvé");
  expect(printed(mention, `${hidden} Lu et${hidden} approuvé${hidden}`)).toBe("Lu et approuvé");
  expect(check([mention], { mention: hidden })).toMatchObject({
    error: { code: "field_required" },
  });
  expect(check([{ ...mention, required: false }], { mention: ` ${hidden}` })).toMatchObject({
    ok: true,
    value: [{ value: null }],
  });
  const text = field("text", { required: true });
  expect(check([text], { text: hidden })).toMatchObject({ error: { code: "field_required" } });
});

it("a mention not typed is blank", () => {
  const mention = field("mention", { value: "Lu et approuvé" });
  expect(check([mention], {})).toMatchObject({ value: [{ value: null }] });
  expect(check([{ ...mention, required: true }], {})).toMatchObject({
    error: { code: "field_required" },
  });
  expect(check([{ ...mention, required: true }], { mention: "  " })).toMatchObject({
    error: { code: "field_required" },
  });
  expect(check([mention], { mention: "Lu" })).toMatchObject({
    error: { code: "mention_differs" },
  });
});

it("optional initials may be left blank, required ones and signatures not", () => {
  expect(check([field("initials")], { initials: "Non" })).toMatchObject({
    value: [{ id: "initials", value: "Non" }],
  });
  expect(check([field("initials", { required: true })], { initials: "Non" })).toMatchObject({
    error: { code: "field_required" },
  });
  expect(printed(field("initials"), "Oui")).toBe("Ce champ reçoit votre signature, pas un texte.");
  expect(printed(field("signature"), "Non")).toBe("Ce champ reçoit votre signature, pas un texte.");
});

it("a text in a signature field is refused", () => {
  expect(printed(field("signature"), "Paul")).toBe(
    "Ce champ reçoit votre signature, pas un texte.",
  );
});

it("another's field, or one given twice, is refused", () => {
  expect(check([field("text")], { name: "x" })).toMatchObject({
    ok: false,
    error: { code: "validation", errors: { fields: ["Ce champ ne vous appartient pas."] } },
  });
  expect(
    checkFieldValues({
      ...filling,
      own: [field("text")],
      submitted: [
        { id: "text", value: "a" },
        { id: "text", value: "b" },
      ],
    }),
  ).toMatchObject({ ok: false, error: { code: "validation" } });
});

const door: GuestAccess = {
  status: "sent",
  completedAt: null,
  deadlineAt: null,
  now,
  hasDeclined: false,
};
const code = (changes: Partial<GuestAccess>) => {
  const result = checkGuestAccess({ ...door, ...changes });
  return result.ok ? "open" : result.error.code;
};

it.each<[StoredStatus, string]>([
  ["draft", "not_found"],
  ["sent", "open"],
  ["pending", "open"],
  ["declined", "envelope_declined"],
  ["expired", "envelope_expired"],
  ["cancelled", "envelope_cancelled"],
])("a guest token of a %s envelope: %s", (status, expected) => {
  expect(code({ status })).toBe(expected);
});

it("a guest token ends at the second of the deadline", () => {
  expect(code({ deadlineAt: now })).toBe("envelope_expired");
  expect(code({ deadlineAt: new Date(now.getTime() + 1) })).toBe("open");
});

it("an expired token's refusal says since when", () => {
  for (const status of ["sent", "expired"] as const)
    expect(checkGuestAccess({ ...door, status, deadlineAt: now })).toMatchObject({
      error: {
        code: "envelope_expired",
        extensions: { deadline_at: "2026-11-21T12:00:00.000Z" },
      },
    });
});

it("a guest token reads for 90 days after completion", () => {
  expect(
    code({
      status: "completed",
      completedAt: new Date("2026-08-23T12:00:00Z"),
      deadlineAt: new Date("2026-09-01T00:00:00Z"),
    }),
  ).toBe("open");
  expect(code({ status: "completed", completedAt: new Date("2026-08-23T11:59:59Z") })).toBe(
    "not_found",
  );
});

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const decide = (secondsAgo: number[], wrongTries = 0) =>
  decideCodeRequest({ entrance: "link", sentAt: secondsAgo.map(ago), wrongTries, now });

it("a first code is granted", () => {
  expect(decide([])).toEqual({ ok: true, value: null });
});

it("a code within 60 seconds is refused, with the seconds left", () => {
  expect(decide([59.2])).toMatchObject({
    ok: false,
    error: { code: "otp_cooldown", params: { seconds: 1 }, retryAfterS: 1 },
  });
  expect(decide([0])).toMatchObject({
    ok: false,
    error: { code: "otp_cooldown", params: { seconds: 60 } },
  });
  expect(decide([60]).ok).toBe(true);
});

it("a sixth code in an hour is refused until the oldest is an hour old", () => {
  expect(decide([100, 200, 300, 400]).ok).toBe(true);
  expect(decide([100, 200, 300, 400, 500])).toMatchObject({
    ok: false,
    error: { code: "otp_quota", retryAfterS: 3_100 },
  });
  expect(decide([100, 200, 300, 400, 3_601]).ok).toBe(true);
});

it("security line 37: an eleventh code in a day is refused", () => {
  const ten = Array.from({ length: 10 }, (_, index) => 4_000 + index * 100);
  expect(decide(ten)).toMatchObject({
    ok: false,
    error: { code: "otp_daily_quota", retryAfterS: 86_400 - 4_900 },
  });
  expect(decide(ten.slice(1)).ok).toBe(true);
});

it("a code after 20 wrong ones is refused at any time", () => {
  expect(decide([], 20)).toMatchObject({ ok: false, error: { code: "otp_locked" } });
  expect(decide([], 19).ok).toBe(true);
});

it("the seconds until a resend are given", () => {
  expect(resendIn({ sentAt: [ago(10), ago(500)], now })).toBe(50);
  expect(resendIn({ sentAt: [], now })).toBe(0);
});

const live: SentCode = {
  expiresAt: new Date("2026-11-21T12:05:00Z"),
  usedAt: null,
  killedAt: null,
  wrongTries: 0,
};
const judge = (latest: SentCode | null, { matches = false, entranceWrongTries = 0 } = {}) =>
  checkCode({ entrance: "link", latest, matches, entranceWrongTries, now });

it("a live code is accepted", () => {
  expect(judge(live, { matches: true })).toEqual({ kind: "verified" });
});

it("a fifth wrong try revokes the code", () => {
  const left = [0, 1, 2, 3, 4].map((wrongTries) => judge({ ...live, wrongTries }));
  expect(
    left.map((verdict) => verdict.kind === "wrong" && verdict.problem.extensions?.attempts_left),
  ).toEqual([4, 3, 2, 1, 0]);
  expect(left.map((verdict) => verdict.kind === "wrong" && verdict.kills)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(left[3]).toMatchObject({ problem: { params: { hint: "Il vous reste 1 essai." } } });
  expect(left[4]).toMatchObject({ problem: { params: { hint: "Demandez un nouveau code." } } });
});

it.each([
  ["expired", { ...live, expiresAt: now }],
  ["used", { ...live, usedAt: now }],
  ["killed by a newer one", { ...live, killedAt: now }],
])("a code that is %s gets the answer of a wrong one", (_, latest) => {
  expect(judge(latest, { matches: true })).toEqual(judge(live));
});

it("a code never sent gets the answer of a wrong one", () => {
  expect(judge(null, { matches: true })).toEqual(judge(live));
  expect(judge(null, { entranceWrongTries: 7 })).toMatchObject({
    problem: { code: "otp_invalid", extensions: { attempts_left: 0 } },
  });
});

it("a right code after five wrong ones is refused", () => {
  expect(judge({ ...live, wrongTries: 5 }, { matches: true }).kind).toBe("wrong");
});

it("a frozen link reads no code", () => {
  expect(judge(live, { matches: true, entranceWrongTries: 20 })).toMatchObject({
    kind: "frozen",
    problem: { code: "otp_locked" },
  });
  expect(judge(live, { matches: true, entranceWrongTries: 19 }).kind).toBe("verified");
});

const situation: SigningSituation = {
  status: "sent",
  deadlineAt: null,
  role: "signer",
  recipientStatus: "viewed",
  awaited: true,
  before: { count: 0, names: [] },
  act: "none",
  now,
};
const outcome = (changes: Partial<SigningSituation>) => {
  const result = checkSigning({ ...situation, ...changes });
  return result.ok ? "may" : result.error.code;
};

it.each<StoredStatus>(["sent", "pending"])(
  "a signer may sign in turn in a %s envelope",
  (status) => {
    expect(outcome({ status })).toBe("may");
    expect(outcome({ status, role: "approver" })).toBe("may");
  },
);

it.each<StoredStatus>(["draft", "completed", "declined", "expired", "cancelled"])(
  "a signer may not sign a %s envelope",
  (status) => {
    expect(outcome({ status })).toBe("invalid_state");
    expect(outcome({ status, act: "same" })).toBe("invalid_state");
  },
);

it("a repeated request joins its act, even after the deadline", () => {
  expect(outcome({ act: "same" })).toBe("may");
  expect(outcome({ act: "same", deadlineAt: now })).toBe("may");
});

it("a different request during sealing is already_signed", () => {
  expect(outcome({ act: "other" })).toBe("already_signed");
  expect(outcome({ act: "other", deadlineAt: now })).toBe("already_signed");
});

it("a viewer may not sign", () => {
  expect(outcome({ role: "viewer" })).toBe("viewer_cannot_sign");
});

it("a signer may not sign twice", () => {
  expect(outcome({ recipientStatus: "signed", awaited: false })).toBe("already_signed");
  expect(outcome({ recipientStatus: "signed", status: "completed" })).toBe("already_signed");
});

it("a signer may not sign before their turn", () => {
  expect(outcome({ awaited: false, recipientStatus: "waiting" })).toBe("not_your_turn");
});

it("a signer may not sign from the second of the deadline", () => {
  expect(outcome({ deadlineAt: now })).toBe("deadline_passed");
});

const PLACE = { x: 0.1, y: 0.2, width: 0.3, height: 0.1 };
const pagesOf = (page: number | "all", pageCount: number) => {
  const places = ownPlaces({ ...PLACE, page }, pageCount);
  return places.ok ? places.value.map((place) => place.page) : places.error.errors?.["placement"];
};

it.each<[number | "all", number, readonly number[]]>([
  [1, 3, [1]],
  [3, 3, [3]],
  [-1, 3, [3]],
  [-1, 1, [1]],
  ["all", 3, [1, 2, 3]],
])("page %s of %i means %j", (page, pageCount, pages) => {
  expect(pagesOf(page, pageCount)).toEqual(pages);
});

it.each([
  [4, 3, "Ce document n’a que 3 pages"],
  [2, 1, "Ce document n’a que 1 page"],
  [0, 3, "Ce document n’a que 3 pages"],
])("page %i of %i is refused", (page, pageCount, sentence) => {
  expect(pagesOf(page, pageCount)).toEqual([sentence]);
});

it("a place is the same on each page", () => {
  expect(ownPlaces({ ...PLACE, page: "all" }, 2)).toEqual({
    ok: true,
    value: [1, 2].map((page) => ({ ...PLACE, page })),
  });
});

const USER = {
  id: "u",
  email_key: "gerance@exemple.fr",
  recipient_key: "gerance@exemple.fr",
  teams: [],
};
const NOTIFIED = new Date("2026-11-21T10:00:00Z");

const person = (rest: Partial<EnvelopeRecipient>) =>
  ({
    emailKey: USER.email_key,
    role: "signer",
    order: 1,
    status: "notified",
    awaited: true,
    notifiedAt: NOTIFIED,
    fullName: "X",
    ...rest,
  }) as EnvelopeRecipient;
const signed = { status: "signed", awaited: false } as const;
const later = { status: "waiting", awaited: false, notifiedAt: null } as const;
const envelope = (recipients: readonly EnvelopeRecipient[], rest: object = {}) =>
  ({
    envelope: { ownerId: "o", status: "pending", flow: "sequential", ...rest },
    recipients,
  }) as unknown as EnvelopeAggregate;
const said = (result: Result<EnvelopeRecipient>) =>
  result.ok ? result.value.id : result.error.code;

it("an account signs as the recipient of its address whose turn it is", () => {
  const [ceo, company] = [person({ id: "a", ...signed }), person({ id: "b", order: 2 })];
  expect(said(findSignatory(envelope([ceo, company]), USER))).toBe("b");
});

it("an account that signed under one name waits for the turn of its second", () => {
  const between = person({
    id: "m",
    emailKey: "autre@exemple.fr",
    order: 2,
    fullName: "Paul Morel",
  });
  const subject = envelope([
    person({ id: "a", ...signed }),
    between,
    person({ id: "b", order: 3, ...later }),
  ]);
  const result = findSignatory(subject, USER);
  expect(result).toMatchObject({ ok: false, error: { code: "not_your_turn" } });
  expect(JSON.stringify(result)).toContain("Paul Morel");
});

it("an account in copy under one name has the turn of the other", () => {
  const subject = envelope([
    person({ id: "m", emailKey: "autre@exemple.fr" }),
    person({ id: "a", role: "viewer", order: 1, ...later }),
    person({ id: "b", order: 2, ...later }),
  ]);
  expect(said(findSignatory(subject, USER))).toBe("not_your_turn");
});

it("an account's recipient stays the same after both signed or the end", () => {
  expect(
    said(
      findSignatory(
        envelope([person({ id: "a", ...signed }), person({ id: "b", ...signed })]),
        USER,
      ),
    ),
  ).toBe("a");
  const expired = envelope([person({ id: "a", ...signed }), person({ id: "b", awaited: false })], {
    status: "expired",
  });
  expect(said(findSignatory(expired, USER))).toBe("b");
});

it("an account shown one recipient signs as that one or not at all", () => {
  const [ceo, company] = [person({ id: "a", ...signed }), person({ id: "b" })];
  const subject = envelope([ceo, company]);
  expect(said(findSignatory(subject, USER, "a"))).toBe("a");
  expect(said(findSignatory(subject, USER, "b"))).toBe("b");
  expect(
    said(
      findSignatory(envelope([ceo, { ...company, emailKey: "corrigee@exemple.fr" }]), USER, "b"),
    ),
  ).toBe("not_found");
  expect(said(findSignatory(envelope([ceo, person({ id: "b", ...later })]), USER, "b"))).toBe(
    "not_found",
  );
  expect(said(findSignatory(envelope([ceo, company], { status: "cancelled" }), USER, "b"))).toBe(
    "not_found",
  );
});
