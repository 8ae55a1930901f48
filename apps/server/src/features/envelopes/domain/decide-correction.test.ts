import { describe, expect, test } from "vitest";
import { decideCorrection, decideResend } from "./decide-correction.ts";
import type { EnvelopeRecipient } from "./envelope.ts";

const now = new Date("2026-11-21T10:00:00Z");
const person = (rest: Partial<EnvelopeRecipient> = {}): EnvelopeRecipient => ({
  id: "a",
  position: 1,
  order: 1,
  role: "signer",
  email: "anne@exemple.fr",
  emailKey: "anne@exemple.fr",
  fullName: "Anne Roux",
  phoneNumber: "+33612345678",
  status: "notified",
  awaited: true,
  notifiedAt: now,
  viewedAt: null,
  signedAt: null,
  declinedAt: null,
  declineReason: null,
  remindedAt: null,
  askedAt: null,
  automaticReminders: 0,
  wrongTries: 0,
  ...rest,
});
const open = { envelope: { status: "sent" as const, deadlineAt: null }, recipients: [person()] };
const nobody: ReadonlySet<string> = new Set();
const asked = { recipientId: "a", now, consenting: nobody };
const correct = (subject: Parameters<typeof decideCorrection>[0], email: string | null, rest: object = {}) =>
  decideCorrection(subject, {
    ...asked,
    email: email === null ? null : { value: email, key: email.toLowerCase() },
    phoneNumber: undefined,
    ...rest,
  });

describe("a correction", () => {
  test("gives the new address, and says that it is one", () => {
    expect(correct(open, "Anne.Roux@exemple.fr")).toMatchObject({
      ok: true,
      value: { change: { email: "Anne.Roux@exemple.fr", emailKey: "anne.roux@exemple.fr", phoneNumber: "+33612345678", newAddress: true } },
    });
  });

  test("of the number alone keeps the address; a number may be taken away", () => {
    expect(correct(open, null, { phoneNumber: null })).toMatchObject({ value: { change: { phoneNumber: null, newAddress: false } } });
  });

  test("to what is there already changes nothing", () => {
    expect(correct(open, "anne@exemple.fr", { phoneNumber: "+33612345678" })).toMatchObject({ ok: true, value: { change: null } });
  });

  test("is for one who looked too: a link that went astray is the very case", () => {
    const seen = { ...open, recipients: [person({ status: "viewed", viewedAt: now })] };
    expect(correct(seen, "b@exemple.fr").ok).toBe(true);
  });

  test("may not make a person of the list twice; the same address for another name is no such thing", () => {
    const other = person({ id: "b", email: "b@exemple.fr", emailKey: "b@exemple.fr", fullName: "ANNE ROUX" });
    expect(correct({ ...open, recipients: [person(), other] }, "b@exemple.fr")).toMatchObject({
      ok: false,
      error: { code: "validation", errors: { email: ["Cette personne figure déjà parmi les destinataires"] } },
    });
    expect(correct({ ...open, recipients: [person(), { ...other, fullName: "Bruno" }] }, "b@exemple.fr").ok).toBe(true);
  });
});

describe.each([
  ["a correction", (subject: Parameters<typeof decideResend>[0], rest: object = {}) => correct(subject, "b@exemple.fr", rest)],
  ["a resending", (subject: Parameters<typeof decideResend>[0], rest: object = {}) => decideResend(subject, { ...asked, ...rest })],
] as const)("%s", (_, decide) => {
  test.each([
    ["draft", "invalid_state"],
    ["completed", "invalid_state"],
    ["cancelled", "invalid_state"],
    ["declined", "invalid_state"],
    ["expired", "invalid_state"],
  ] as const)("in a %s envelope is refused: %s", (status, code) => {
    expect(decide({ ...open, envelope: { status, deadlineAt: null } })).toMatchObject({ ok: false, error: { code } });
  });

  test("is refused past the deadline, for nobody of the envelope, and for one who has answered", () => {
    expect(decide({ ...open, envelope: { status: "sent", deadlineAt: now } })).toMatchObject({ error: { code: "deadline_passed" } });
    expect(decide(open, { recipientId: "z" })).toMatchObject({ error: { code: "not_found" } });
    expect(decide({ ...open, recipients: [person({ status: "signed", awaited: false })] })).toMatchObject({
      error: { code: "recipient_answered" },
    });
    expect(decide(open, { consenting: new Set(["a"]) })).toMatchObject({ error: { code: "signature_in_progress", retryAfterS: 5 } });
  });
});

describe("a resending", () => {
  test("is for one whose signature is awaited", () => {
    expect(decideResend({ ...open, recipients: [person({ awaited: false })] }, asked)).toMatchObject({
      error: { code: "recipient_not_awaited" },
    });
  });

  test("waits an hour after the last", () => {
    const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    expect(decideResend({ ...open, recipients: [person({ remindedAt: minutesAgo(59) })] }, asked)).toMatchObject({
      error: { code: "remind_cooldown", retryAfterS: 60 },
    });
    expect(decideResend({ ...open, recipients: [person({ remindedAt: minutesAgo(60) })] }, asked).ok).toBe(true);
  });
});
