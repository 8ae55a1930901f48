/** Wrong passwords are counted over 15 minutes (security line 6). */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/** How many wrong tries a key may have before it waits, and how the wait grows. */
export type LoginLimit = { readonly free: number; readonly firstWaitMs: number; readonly longestWaitMs: number };

/** An account: 5 tries, then a minute, two, four… up to 15: never for ever, or anybody could lock anybody out. */
export const ACCOUNT_LIMIT: LoginLimit = { free: 5, firstWaitMs: 60_000, longestWaitMs: LOGIN_WINDOW_MS };
/** An address: 20 tries, then the rest of the window. */
export const ADDRESS_LIMIT: LoginLimit = { free: 20, firstWaitMs: LOGIN_WINDOW_MS, longestWaitMs: LOGIN_WINDOW_MS };

/** What is known of a key's wrong tries. */
export type LoginFailures = { readonly failures: number; readonly windowStart: Date; readonly lockedUntil: Date | null };

/** Gives the state of a key after one more try is begun, or how long it still waits. */
export function beginTry(
  known: LoginFailures | null,
  limit: LoginLimit,
  now: Date,
): { readonly waitMs: number; readonly next: LoginFailures } {
  const fresh = known === null || now.getTime() - known.windowStart.getTime() >= LOGIN_WINDOW_MS;
  const locked = known?.lockedUntil ?? null;
  if (known !== null && locked !== null && locked > now) return { waitMs: locked.getTime() - now.getTime(), next: known };
  const failures = (fresh ? 0 : known.failures) + 1;
  const over = failures - limit.free;
  const waitMs = over < 0 ? 0 : Math.min(limit.firstWaitMs * 2 ** over, limit.longestWaitMs);
  return {
    waitMs: 0,
    next: { failures, windowStart: fresh ? now : known.windowStart, lockedUntil: waitMs === 0 ? null : new Date(now.getTime() + waitMs) },
  };
}
