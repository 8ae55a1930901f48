import type { StoredStatus } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { checkSigning, type SigningSituation } from "./check-signing.ts";

const now = new Date("2026-11-21T12:00:00Z");
const situation: SigningSituation = {
  status: "sent",
  deadlineAt: null,
  role: "signer",
  recipientStatus: "viewed",
  awaited: true,
  before: { count: 0, names: [] },
  hasAct: false,
  now,
};
const outcome = (changes: Partial<SigningSituation>) => {
  const result = checkSigning({ ...situation, ...changes });
  return result.ok ? result.value : result.error.code;
};

describe("a person about to sign", () => {
  it.each<StoredStatus>(["sent", "pending"])("may, when it is its turn in a %s envelope", (status) => {
    expect(outcome({ status })).toBe("sign");
    expect(outcome({ status, role: "approver" })).toBe("sign");
  });

  it.each<StoredStatus>(["draft", "completed", "declined", "expired", "cancelled"])("may not in a %s envelope", (status) => {
    expect(outcome({ status })).toBe("invalid_state");
    expect(outcome({ status, hasAct: true })).toBe("invalid_state");
  });

  it("joins the act already recorded, even when the deadline passed meanwhile", () => {
    expect(outcome({ hasAct: true })).toBe("join");
    expect(outcome({ hasAct: true, deadlineAt: now })).toBe("join");
  });

  it("may not when only a copy was sent", () => {
    expect(outcome({ role: "viewer" })).toBe("viewer_cannot_sign");
  });

  it("may not twice", () => {
    expect(outcome({ recipientStatus: "signed", awaited: false })).toBe("already_signed");
    expect(outcome({ recipientStatus: "signed", status: "completed" })).toBe("already_signed");
  });

  it("may not before its turn", () => {
    expect(outcome({ awaited: false, recipientStatus: "waiting" })).toBe("not_your_turn");
  });

  it("may not from the second of the deadline", () => {
    expect(outcome({ deadlineAt: now })).toBe("deadline_passed");
  });
});
