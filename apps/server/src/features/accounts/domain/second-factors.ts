import {
  type FactorList,
  FRESH_SIGN_IN_S,
  RECOVERY_CODES,
  SECOND_STEP_S,
  type SecondFactorMethod,
} from "@paraphe/contracts";
import { type LoginLimit, LOGIN_WINDOW_MS } from "./limits.ts";

/** Wrong codes of an account, whichever login they belong to: 5, then 15 minutes. */
export const SECOND_FACTOR_LIMIT: LoginLimit = {
  free: 5,
  firstWaitMs: LOGIN_WINDOW_MS,
  longestWaitMs: LOGIN_WINDOW_MS,
};

export function isFreshSignIn(signedInAt: Date, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() <= FRESH_SIGN_IN_S * 1_000;
}

export function secondStepEnd(now: Date): Date {
  return new Date(now.getTime() + SECOND_STEP_S * 1_000);
}

/** Without 0, 1, I and O, which are mistaken for each other: 32 signs, 5 bits each. */
const SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

/** Eight different codes of eight signs. */
export function drawRecoveryCodes(random: (length: number) => Uint8Array): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES)
    codes.add(Array.from(random(CODE_LENGTH), (byte) => SIGNS[byte % SIGNS.length]).join(""));
  return [...codes];
}

/** As it is shown: two groups of four. */
export function presentRecoveryCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** Ways to finish a login after the password; none where the password is enough. */
export function secondFactorMethods(factors: FactorList): readonly SecondFactorMethod[] {
  if (factors.passkeys.length === 0 && factors.totp === null) return [];
  return [
    ...(factors.totp === null ? [] : (["totp"] as const)),
    ...(factors.passkeys.length === 0 ? [] : (["passkey"] as const)),
    ...(factors.recovery_codes.left === 0 ? [] : (["recovery_code"] as const)),
  ];
}
