import { describe, expect, it } from "vitest";
import { decideExtension, decideExtensionRequest } from "./decide-extension.ts";
import { warnedBy } from "./decide-warning.ts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";

const now = new Date("2026-11-21T10:00:00Z");
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const person = (rest: Partial<EnvelopeRecipient> = {}): EnvelopeRecipient => ({
  id: "a",
  position: 1,
  order: 1,
  role: "signer",
  email: "a@exemple.fr",
  emailKey: "a@exemple.fr",
  fullName: "Anne",
  phoneNumber: null,
  status: "notified",
  awaited: false,
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
type Part = Partial<Pick<Envelope, "status" | "flow" | "deadlineAt" | "signedCount">>;
const subject = (part: Part = {}, recipients = [person()]) => ({
  envelope: { status: "expired" as const, flow: "parallel" as const, deadlineAt: inHours(-24), signedCount: 0, ...part },
  recipients,
});
const codeOf = (result: { ok: boolean; error?: { code: string; errors?: unknown } }) => (result.ok ? "ok" : result.error?.code);

describe("a longer deadline", () => {
  it("gives an expired envelope back the status it had", () => {
    expect(decideExtension(subject(), { deadlineAt: inHours(24), now })).toMatchObject({
      ok: true,
      value: { status: "sent", reopened: true },
    });
    expect(decideExtension(subject({ signedCount: 1 }), { deadlineAt: inHours(24), now })).toMatchObject({ value: { status: "pending" } });
  });

  it("leaves an open one as it is, and knows one whose moment has passed before it was written down", () => {
    const open = decideExtension(subject({ status: "pending", deadlineAt: inHours(1) }), { deadlineAt: inHours(24), now });
    expect(open).toMatchObject({ ok: true, value: { status: "pending", reopened: false } });
    const late = decideExtension(subject({ status: "sent", deadlineAt: inHours(-1) }), { deadlineAt: inHours(24), now });
    expect(late).toMatchObject({ ok: true, value: { status: "sent", reopened: true } });
  });

  it("awaits those whose turn it was", () => {
    const people = [person({ id: "a", order: 1, status: "signed" }), person({ id: "b", order: 2 }), person({ id: "c", order: 3 })];
    const decided = decideExtension(subject({ flow: "sequential", signedCount: 1 }, people), { deadlineAt: inHours(24), now });
    expect(decided.ok && [...decided.value.awaited]).toEqual(["b"]);
  });

  it("is later than the one there is, in the future and within two years", () => {
    const refused = (deadlineAt: Date, part: Part = { status: "sent", deadlineAt: inHours(48) }) => {
      const result = decideExtension(subject(part), { deadlineAt, now });
      return result.ok ? "ok" : result.error.errors?.["deadline_at"]?.[0];
    };
    expect(refused(inHours(48))).toBe("Choisissez une date après l’échéance actuelle");
    expect(refused(inHours(47))).toBe("Choisissez une date après l’échéance actuelle");
    expect(refused(now)).toBe("L'échéance doit être dans le futur");
    expect(refused(inHours(24 * 800))).toBe("L’échéance doit être dans les deux ans");
    expect(refused(inHours(49))).toBe("ok");
  });

  it("needs one that can be put off", () => {
    expect(codeOf(decideExtension(subject({ status: "sent", deadlineAt: null }), { deadlineAt: inHours(24), now }))).toBe("no_deadline");
    for (const status of ["draft", "completed", "declined", "cancelled"] as const)
      expect(codeOf(decideExtension(subject({ status }), { deadlineAt: inHours(24), now }))).toBe("invalid_state");
  });

  it("has announced by itself what is near already", () => {
    expect([12, 24, 30, 48, 72].map((hours) => warnedBy(inHours(hours), now))).toEqual([1, 1, 2, 2, null]);
  });
});

describe("the wish for a longer deadline", () => {
  const ask = (part: Part, recipient: Partial<EnvelopeRecipient> = {}, lastToldAt: Date | null = null) =>
    decideExtensionRequest(subject(part, [person(recipient)]), { recipientId: "a", lastToldAt, now });

  it("reaches the sender once a day", () => {
    expect(ask({})).toMatchObject({ ok: true, value: { tellSender: true } });
    expect(ask({}, {}, inHours(-23))).toMatchObject({ ok: true, value: { tellSender: false } });
    expect(ask({}, {}, inHours(-24))).toMatchObject({ ok: true, value: { tellSender: true } });
    expect(ask({ status: "sent", deadlineAt: inHours(-0.01) })).toMatchObject({ ok: true, value: { tellSender: true } });
  });

  it("is refused to whoever has nothing to sign, or may still sign", () => {
    expect(codeOf(ask({}, { role: "viewer" }))).toBe("viewer_cannot_sign");
    expect(codeOf(ask({}, { status: "signed" }))).toBe("already_signed");
    expect(codeOf(ask({}, { id: "b" }))).toBe("not_found");
    expect(codeOf(ask({ status: "sent", deadlineAt: inHours(1) }))).toBe("deadline_ahead");
    expect(codeOf(ask({ status: "pending", deadlineAt: null }))).toBe("deadline_ahead");
    for (const status of ["draft", "completed", "declined", "cancelled"] as const) expect(codeOf(ask({ status }))).toBe("invalid_state");
  });
});
