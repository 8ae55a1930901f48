import {
  ACCESS_TOKEN_S,
  PENDING_ACCOUNT_DAYS,
  REFRESH_REUSE_GRACE_S,
  REMEMBERED_SESSION_DAYS,
  RESEND_COOLDOWN_S,
  SESSION_HOURS,
  type FactorList,
  FRESH_SIGN_IN_S,
  RECOVERY_CODES,
  SECOND_STEP_S,
  type SecondFactorMethod,
} from "@paraphe/contracts";

const HOUR_MS = 3_600_000;
/** Counted per address (security lines 31 and 32). */
const LINKS_PER_HOUR = 3;

export function linkWindowStart(now: Date): Date {
  return new Date(now.getTime() - HOUR_MS);
}

export function mayGetLink(earlier: readonly Date[], now: Date): boolean {
  if (earlier.length >= LINKS_PER_HOUR) return false;
  return earlier.every((time) => now.getTime() - time.getTime() >= RESEND_COOLDOWN_S * 1_000);
}

/** Security line 6. */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/** Wrong tries before a wait, and how it grows. */
type LoginLimit = {
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
};

/** 5 tries, then one, two, four… 15 minutes: a permanent lock would lock anybody out. */
export const ACCOUNT_LIMIT: LoginLimit = {
  free: 5,
  firstWaitMs: 60_000,
  longestWaitMs: LOGIN_WINDOW_MS,
};
/** 20 tries, then the rest of the window. */
export const ADDRESS_LIMIT: LoginLimit = {
  free: 20,
  firstWaitMs: LOGIN_WINDOW_MS,
  longestWaitMs: LOGIN_WINDOW_MS,
};

export type LoginFailures = {
  readonly failures: number;
  readonly windowStart: Date;
  readonly lockedUntil: Date | null;
};

/** Gives the state after one more try, or how long to wait. */
export function beginTry(
  known: LoginFailures | null,
  limit: LoginLimit,
  now: Date,
): { readonly waitMs: number; readonly next: LoginFailures } {
  const fresh = known === null || now.getTime() - known.windowStart.getTime() >= LOGIN_WINDOW_MS;
  const locked = known?.lockedUntil ?? null;
  if (known !== null && locked !== null && locked > now)
    return { waitMs: locked.getTime() - now.getTime(), next: known };
  const failures = (fresh ? 0 : known.failures) + 1;
  const over = failures - limit.free;
  const waitMs = over < 0 ? 0 : Math.min(limit.firstWaitMs * 2 ** over, limit.longestWaitMs);
  return {
    waitMs: 0,
    next: {
      failures,
      windowStart: fresh ? now : known.windowStart,
      lockedUntil: waitMs === 0 ? null : new Date(now.getTime() + waitMs),
    },
  };
}

/** Life without a refresh: 2 hours, or 14 days with « Rester connecté » (security line 9). */
const IDLE_MS = { plain: 2 * HOUR_MS, remembered: 14 * 24 * HOUR_MS } as const;

export function sessionEnd(start: Date, remembered: boolean): Date {
  return new Date(
    start.getTime() + (remembered ? REMEMBERED_SESSION_DAYS * 24 : SESSION_HOURS) * HOUR_MS,
  );
}

/**
 * The token lasts the idle time, at most until the session's end. `idleHours`: the organisation's
 * choice.
 */
export function refreshEnd(
  now: Date,
  session: { readonly remembered: boolean; readonly expiresAt: Date },
  idleHours: number | null,
): Date {
  const own = session.remembered ? IDLE_MS.remembered : IDLE_MS.plain;
  const idleMs = idleHours === null ? own : idleHours * HOUR_MS;
  return earlier(new Date(now.getTime() + idleMs), session.expiresAt);
}

export function accessEnd(now: Date, session: { readonly expiresAt: Date }): Date {
  return earlier(new Date(now.getTime() + ACCESS_TOKEN_S * 1_000), session.expiresAt);
}

type RefreshWorth = "renew" | "expired" | "reused";

/**
 * A token rotated less than 30 seconds ago is a parallel tab's; an older one is stolen, and its
 * family ends.
 * Source: RFC 9700 §4.14.2.
 */
export function checkRefresh(
  token: { readonly expiresAt: Date; readonly rotatedAt: Date | null },
  now: Date,
): RefreshWorth {
  if (
    token.rotatedAt !== null &&
    now.getTime() - token.rotatedAt.getTime() > REFRESH_REUSE_GRACE_S * 1_000
  )
    return "reused";
  return token.expiresAt <= now ? "expired" : "renew";
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/** Unactivated registrations are deleted after this. */
export const ABANDONED_AFTER_MS = PENDING_ACCOUNT_DAYS * 24 * 3_600_000;

/** Counts wrong codes in all logins of an account: 5, then a wait of 15 minutes. */
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

/** Without 0, 1, I and O, which look alike: 32 signs, 5 bits each. */
const SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

export function drawRecoveryCodes(random: (length: number) => Uint8Array): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES)
    codes.add(Array.from(random(CODE_LENGTH), (byte) => SIGNS[byte % SIGNS.length]).join(""));
  return [...codes];
}

export function presentRecoveryCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

export function secondFactorMethods(factors: FactorList): readonly SecondFactorMethod[] {
  if (factors.passkeys.length === 0 && factors.totp === null) return [];
  return [
    ...(factors.totp === null ? [] : (["totp"] as const)),
    ...(factors.passkeys.length === 0 ? [] : (["passkey"] as const)),
    ...(factors.recovery_codes.left === 0 ? [] : (["recovery_code"] as const)),
  ];
}
