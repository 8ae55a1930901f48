import type { Result } from "@paraphe/contracts";
import { expect, test } from "vitest";
import type { EnvelopeAggregate, EnvelopeRecipient } from "../envelopes/index.ts";
import { findSignatory } from "./find-signatory.ts";

const USER = { id: "u", email_key: "gerance@exemple.fr" };
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
  ({ envelope: { ownerId: "o", status: "pending", flow: "sequential", ...rest }, recipients }) as unknown as EnvelopeAggregate;
const said = (result: Result<EnvelopeRecipient>) => (result.ok ? result.value.id : result.error.code);

test("of two people of one address the one whose turn it is signs", () => {
  const [ceo, company] = [person({ id: "a", ...signed }), person({ id: "b", order: 2 })];
  expect(said(findSignatory(envelope([ceo, company]), USER))).toBe("b");
});

test("who has signed under one name, and comes again under another, waits for the turn of the second", () => {
  const between = person({ id: "m", emailKey: "autre@exemple.fr", order: 2, fullName: "Paul Morel" });
  const subject = envelope([person({ id: "a", ...signed }), between, person({ id: "b", order: 3, ...later })]);
  const result = findSignatory(subject, USER);
  expect(result).toMatchObject({ ok: false, error: { code: "not_your_turn" } });
  expect(JSON.stringify(result)).toContain("Paul Morel");
});

test("one who gets a copy under one name has the turn of the other told", () => {
  const subject = envelope([
    person({ id: "m", emailKey: "autre@exemple.fr" }),
    person({ id: "a", role: "viewer", order: 1, ...later }),
    person({ id: "b", order: 2, ...later }),
  ]);
  expect(said(findSignatory(subject, USER))).toBe("not_your_turn");
});

test("once both have signed, or the envelope has ended, they are who they were", () => {
  expect(said(findSignatory(envelope([person({ id: "a", ...signed }), person({ id: "b", ...signed })]), USER))).toBe("a");
  const expired = envelope([person({ id: "a", ...signed }), person({ id: "b", awaited: false })], { status: "expired" });
  expect(said(findSignatory(expired, USER))).toBe("b");
});

test("who was shown as one of them signs as that one, or not at all", () => {
  const [ceo, company] = [person({ id: "a", ...signed }), person({ id: "b" })];
  const subject = envelope([ceo, company]);
  expect(said(findSignatory(subject, USER, "a"))).toBe("a");
  expect(said(findSignatory(subject, USER, "b"))).toBe("b");
  expect(said(findSignatory(envelope([ceo, { ...company, emailKey: "corrigee@exemple.fr" }]), USER, "b"))).toBe("not_found");
  expect(said(findSignatory(envelope([ceo, person({ id: "b", ...later })]), USER, "b"))).toBe("not_found");
  expect(said(findSignatory(envelope([ceo, company], { status: "cancelled" }), USER, "b"))).toBe("not_found");
});
