import { randomBytes } from "node:crypto";
import { recoveryCodeRequest } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import {
  beginTry,
  type LoginFailures,
  drawRecoveryCodes,
  isFreshSignIn,
  presentRecoveryCode,
  SECOND_FACTOR_LIMIT,
  secondFactorMethods,
} from "./limits.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
const now = new Date("2026-11-21T10:00:00.000Z");
const later = (ms: number) => new Date(now.getTime() + ms);

describe("recovery codes", () => {
  test("there are eight, all different, in two groups of four without 0, 1, I or O", () => {
    const codes = drawRecoveryCodes(random);
    expect(new Set(codes).size).toBe(8);
    for (const code of codes)
      expect(presentRecoveryCode(code)).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
  });

  test("a code that is drawn twice counts once", () => {
    let calls = 0;
    const repeating = (length: number) =>
      new Uint8Array(length).fill(calls++ < 3 ? 0 : Math.min(calls, 255));
    expect(new Set(drawRecoveryCodes(repeating)).size).toBe(8);
  });

  test.each(["7K4M-PQ2X", "7k4mpq2x", " 7k4m pq2x ", "7K4M–PQ2X"])(
    "%s is read as 7K4MPQ2X: case, spaces and dashes are ignored",
    (typed) => {
      expect(recoveryCodeRequest.parse({ code: typed })).toEqual({ code: "7K4MPQ2X" });
    },
  );

  test.each([
    "",
    "7K4M-PQ2",
    "7K4M-PQ2XX",
    "7K4M-PQ2O",
    "123456",
    "7K4M-PQ2é",
    12,
    null,
    ["7K4MPQ2X"],
  ])("%j is no recovery code", (typed) => {
    expect(recoveryCodeRequest.safeParse({ code: typed }).success).toBe(false);
  });
});

describe("a fresh sign-in", () => {
  test("lasts ten minutes", () => {
    expect(isFreshSignIn(now, later(600_000))).toBe(true);
    expect(isFreshSignIn(now, later(600_001))).toBe(false);
  });
});

describe("wrong codes", () => {
  test("five are allowed, then fifteen minutes pass before the next", () => {
    let state: LoginFailures | null = null;
    for (let tried = 0; tried < 5; tried += 1) {
      const { waitMs, next } = beginTry(state, SECOND_FACTOR_LIMIT, now);
      expect(waitMs).toBe(0);
      state = next;
    }
    expect(beginTry(state, SECOND_FACTOR_LIMIT, later(1)).waitMs).toBe(15 * 60_000 - 1);
    expect(beginTry(state, SECOND_FACTOR_LIMIT, later(15 * 60_000)).waitMs).toBe(0);
  });
});

describe("the second step", () => {
  const passkeys = [{ id: "1", name: "Clé", created_at: now.toISOString(), last_used_at: null }];
  const totp = { created_at: now.toISOString() };
  const codes = (left: number) => ({ left, total: 8 });

  test.each([
    [{ passkeys: [], totp: null, recovery_codes: codes(8) }, []],
    [{ passkeys: [], totp, recovery_codes: codes(0) }, ["totp"]],
    [{ passkeys, totp: null, recovery_codes: codes(1) }, ["passkey", "recovery_code"]],
    [{ passkeys, totp, recovery_codes: codes(8) }, ["totp", "passkey", "recovery_code"]],
  ])("offers what the account has: case %#", (factors, methods) => {
    expect(secondFactorMethods(factors)).toEqual(methods);
  });
});
