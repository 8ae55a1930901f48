import { describe, expect, it } from "vitest";
import { checkSend, type EnvelopeToSend } from "./check-send.ts";
import { decideDecline } from "./decide-decline.ts";
import { decideReminders, remindableAt } from "./decide-reminders.ts";
import { decideRestore } from "./decide-restore.ts";
import { decideSignature } from "./decide-signature.ts";
import type { EnvelopeRecipient } from "./envelope.ts";
import { viewerOf } from "./viewer.ts";

const now = new Date("2026-11-21T10:00:00Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
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
  awaited: true,
  notifiedAt: minutesAgo(120),
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
const codeOf = (result: { ok: boolean; error?: { code: string } }) => (result.ok ? "ok" : result.error?.code);

describe("sending", () => {
  const ready: EnvelopeToSend = {
    envelope: { status: "draft", deadlineAt: null },
    recipients: [{ role: "signer", fullName: "Paul Morel" }],
    fields: [],
    documents: [{ name: "bail.pdf", control: { result: "ok" }, normalisedAccepted: false }],
  };
  const reason = (rest: Partial<EnvelopeToSend>) => {
    const result = checkSend({ ...ready, ...rest }, { now, firstMissing: (text) => (text.includes("李") ? "李" : null) });
    return result.ok ? "ok" : `${result.error.code}: ${result.error.params?.["reason"] ?? result.error.params?.["state"]}`;
  };

  it("needs a signer: an approver or a viewer is not one", () => {
    expect(reason({})).toBe("ok");
    expect(
      reason({
        recipients: [
          { role: "approver", fullName: "Zoé" },
          { role: "viewer", fullName: "Léo" },
        ],
      }),
    ).toBe("not_ready_to_send: ajoutez au moins un signataire.");
  });
  it("needs a document", () => expect(reason({ documents: [] })).toBe("not_ready_to_send: ajoutez au moins un fichier."));
  it("needs a deadline that is still to come", () => {
    expect(reason({ envelope: { status: "draft", deadlineAt: now } })).toBe("not_ready_to_send: l’échéance doit être dans le futur.");
  });
  it("needs each corrected copy to be accepted", () => {
    const fixable = { name: "bail.pdf", control: { result: "fixable" as const }, normalisedAccepted: false };
    expect(reason({ documents: [fixable] })).toBe("not_ready_to_send: acceptez d’abord la copie corrigée de « bail.pdf ».");
    expect(reason({ documents: [{ ...fixable, normalisedAccepted: true }] })).toBe("ok");
  });
  it("needs names that can be printed, of those who sign", () => {
    const [paul, li] = [{ role: "signer", fullName: "Paul Morel" } as const, { role: "approver", fullName: "李雷" } as const];
    expect(reason({ recipients: [paul, li] })).toBe("not_ready_to_send: le caractère « 李 » du nom « 李雷 » ne peut pas être imprimé.");
    expect(reason({ recipients: [paul, { ...li, role: "viewer" }] })).toBe("ok");
  });
  it("needs the sentence of each mention to copy", () => {
    const mention = { type: "mention", value: "Lu et approuvé" } as const;
    expect(reason({ fields: [mention, { type: "text", value: null }] })).toBe("ok");
    for (const value of [null, " \n", "\u200b \u00ad"])
      expect(reason({ fields: [mention, { ...mention, value }] })).toBe(
        "not_ready_to_send: écrivez la phrase de chaque mention à recopier.",
      );
  });
  it("is for drafts", () => expect(reason({ envelope: { status: "sent", deadlineAt: null } })).toBe("invalid_state: En cours"));
});

describe("a signature", () => {
  const envelope = { status: "sent", flow: "sequential", signerCount: 2, signedCount: 0 } as const;
  const second = person({ id: "b", order: 2, status: "waiting", awaited: false, notifiedAt: null });

  it("makes the envelope pending and asks the next in turn", () => {
    expect(decideSignature({ envelope, recipients: [person(), second] }, "a")).toEqual({
      ok: true,
      value: { status: "pending", signedCount: 1, awaited: new Set(["b"]), toInvite: new Set(["b"]) },
    });
  });
  it("completes the envelope when it is the last", () => {
    const recipients = [person({ status: "signed", awaited: false }), person({ id: "b", order: 2 })];
    expect(decideSignature({ envelope: { ...envelope, status: "pending", signedCount: 1 }, recipients }, "b")).toMatchObject({
      value: { status: "completed", signedCount: 2, awaited: new Set() },
    });
  });
  it("asks nobody twice", () => {
    expect(
      decideSignature({ envelope: { ...envelope, flow: "parallel" }, recipients: [person(), person({ id: "b" })] }, "a"),
    ).toMatchObject({
      value: { awaited: new Set(["b"]), toInvite: new Set() },
    });
  });
  it("is refused twice, from a viewer, from nobody, and in a closed envelope", () => {
    expect(codeOf(decideSignature({ envelope, recipients: [person({ status: "signed" })] }, "a"))).toBe("already_signed");
    expect(codeOf(decideSignature({ envelope, recipients: [person({ role: "viewer" })] }, "a"))).toBe("not_found");
    expect(codeOf(decideSignature({ envelope, recipients: [] }, "a"))).toBe("not_found");
    for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const) {
      expect(codeOf(decideSignature({ envelope: { ...envelope, status }, recipients: [person()] }, "a"))).toBe("invalid_state");
    }
  });
});

describe("a refusal to sign", () => {
  const envelope = { status: "sent", deadlineAt: null, flow: "sequential" } as const;
  const decide = (
    recipient: EnvelopeRecipient,
    rest: Partial<{ status: "sent" | "completed" | "cancelled"; deadlineAt: Date | null }> = {},
  ) => codeOf(decideDecline({ envelope: { ...envelope, ...rest }, recipients: [recipient] }, { recipientId: "a", now }));

  it("is for whoever is awaited", () => {
    expect(decide(person())).toBe("ok");
    expect(decide(person({ awaited: false, status: "waiting" }))).toBe("not_your_turn");
    expect(decide(person({ status: "signed", awaited: false }))).toBe("already_signed");
    expect(decide(person({ role: "viewer" }))).toBe("viewer_cannot_sign");
  });
  it("is refused once the envelope is closed or its deadline has passed", () => {
    expect(decide(person(), { status: "cancelled" })).toBe("invalid_state");
    expect(decide(person(), { deadlineAt: now })).toBe("deadline_passed");
  });
});

describe("a reminder", () => {
  const envelope = { status: "pending", deadlineAt: null } as const;
  const decide = (...recipients: EnvelopeRecipient[]) => decideReminders({ envelope, recipients, consenting: new Set() }, now);

  it("goes to those awaited, at most once an hour each", () => {
    const ids = decide(
      person(),
      person({ id: "b", remindedAt: minutesAgo(30) }),
      person({ id: "c", remindedAt: minutesAgo(60) }),
      person({ id: "d", awaited: false, status: "signed" }),
    );
    expect(ids).toMatchObject({ ok: true, value: [{ id: "a" }, { id: "c" }] });
  });
  it("says how long to wait when all were reminded within the hour", () => {
    expect(decide(person({ remindedAt: minutesAgo(30) }), person({ id: "b", remindedAt: minutesAgo(50) }))).toEqual({
      ok: false,
      error: { code: "remind_cooldown", retryAfterS: 600 },
    });
  });
  it("may leave again from when the first of those awaited has rested for an hour", () => {
    const [half, ten] = [person({ remindedAt: minutesAgo(30) }), person({ id: "b", remindedAt: minutesAgo(50) })];
    expect(remindableAt([half, ten], now)).toEqual(minutesAgo(-10));
    expect(remindableAt([half, ten, person({ id: "c", awaited: false })], now)).toEqual(minutesAgo(-10));
    expect(remindableAt([half, person({ id: "c" })], now)).toBeNull();
    expect(remindableAt([person({ remindedAt: minutesAgo(60) })], now)).toBeNull();
    expect(remindableAt([person({ awaited: false, remindedAt: minutesAgo(1) })], now)).toBeNull();
  });
  it("is refused once the deadline has passed", () => {
    const late = { envelope: { ...envelope, deadlineAt: now }, recipients: [person()], consenting: new Set<string>() };
    expect(codeOf(decideReminders(late, now))).toBe("deadline_passed");
  });
  it("leaves alone who has agreed and waits for the seal, and says so when that is everybody", () => {
    const recipients = [person(), person({ id: "b" })];
    expect(decideReminders({ envelope, recipients, consenting: new Set(["a"]) }, now)).toMatchObject({ ok: true, value: [{ id: "b" }] });
    expect(decideReminders({ envelope, recipients, consenting: new Set(["a", "b"]) }, now)).toEqual({
      ok: false,
      error: { code: "signature_in_progress", retryAfterS: 5 },
    });
  });
});

describe("a restored envelope", () => {
  const cancelled = { status: "cancelled", statusBeforeCancel: "sent", cancelledAt: minutesAgo(60), deadlineAt: null } as const;

  it("gets back the status it had", () => {
    for (const status of ["draft", "sent", "pending", "completed", "declined", "expired"] as const) {
      expect(decideRestore({ ...cancelled, statusBeforeCancel: status }, now)).toEqual({ ok: true, value: status });
    }
  });
  it("is expired when it was open and its deadline has passed since", () => {
    expect(decideRestore({ ...cancelled, deadlineAt: now }, now)).toEqual({ ok: true, value: "expired" });
    expect(decideRestore({ ...cancelled, statusBeforeCancel: "completed", deadlineAt: now }, now)).toEqual({
      ok: true,
      value: "completed",
    });
  });
  it("is refused after ten whole days, and when it is not cancelled", () => {
    expect(codeOf(decideRestore({ ...cancelled, cancelledAt: new Date("2026-11-11T10:00:00Z") }, now))).toBe("invalid_state");
    expect(codeOf(decideRestore({ ...cancelled, cancelledAt: new Date("2026-11-11T10:00:01Z") }, now))).toBe("ok");
    expect(codeOf(decideRestore({ ...cancelled, status: "sent" }, now))).toBe("invalid_state");
  });
});

describe("who sees an envelope", () => {
  const user = { id: "u", email_key: "a@exemple.fr" };
  const subject = (ownerId: string, recipients: EnvelopeRecipient[], status: "sent" | "draft" | "cancelled" = "sent") => ({
    envelope: { ownerId, status },
    recipients,
  });

  it("is its owner, even when a recipient too", () => {
    expect(viewerOf(subject("u", [person()]), user)).toEqual({ ok: true, value: { kind: "owner" } });
  });
  it("is a recipient once invited, by the confirmed address", () => {
    expect(viewerOf(subject("x", [person()]), user)).toEqual({ ok: true, value: { kind: "recipient", recipientId: "a" } });
    expect(codeOf(viewerOf(subject("x", [person({ notifiedAt: null })]), user))).toBe("not_found");
    expect(codeOf(viewerOf(subject("x", [person({ emailKey: "b@exemple.fr" })]), user))).toBe("not_found");
  });
  it("is whoever is awaited when one address stands for two people", () => {
    expect(viewerOf(subject("x", [person({ awaited: false, status: "signed" }), person({ id: "b" })]), user)).toMatchObject({
      value: { recipientId: "b" },
    });
  });
  it("is no recipient of a draft or a cancelled envelope", () => {
    expect(codeOf(viewerOf(subject("x", [person()], "draft"), user))).toBe("not_found");
    expect(codeOf(viewerOf(subject("x", [person()], "cancelled"), user))).toBe("not_found");
  });
});
