import { ACCESS_TOKEN_S, REFRESH_REUSE_GRACE_S, REMEMBERED_SESSION_DAYS, SESSION_HOURS } from "@paraphe/contracts";

const HOUR_MS = 3_600_000;
/** A session that nobody refreshes ends: 2 hours, or 14 days with « Rester connecté » (security line 9). */
const IDLE_MS = { plain: 2 * HOUR_MS, remembered: 14 * 24 * HOUR_MS } as const;

/** When a session ends, whatever its use. */
export function sessionEnd(start: Date, remembered: boolean): Date {
  return new Date(start.getTime() + (remembered ? REMEMBERED_SESSION_DAYS * 24 : SESSION_HOURS) * HOUR_MS);
}

/** When a refresh token made now ends: the session's idle time, at most the session's end. */
export function refreshEnd(now: Date, session: { readonly remembered: boolean; readonly expiresAt: Date }): Date {
  return earlier(new Date(now.getTime() + (session.remembered ? IDLE_MS.remembered : IDLE_MS.plain)), session.expiresAt);
}

/** When an access token made now ends: 15 minutes, at most the session's end. */
export function accessEnd(now: Date, session: { readonly expiresAt: Date }): Date {
  return earlier(new Date(now.getTime() + ACCESS_TOKEN_S * 1_000), session.expiresAt);
}

/** What a presented refresh token is worth. */
export type RefreshWorth = "renew" | "expired" | "reused";

/**
 * Decides what becomes of a refresh token. One that was already rotated is a parallel tab's for 30 seconds; later, a thief's or the victim's of a thief:
 * its whole family ends.
 * Source: RFC 9700 §4.14.2.
 */
export function judgeRefresh(token: { readonly expiresAt: Date; readonly rotatedAt: Date | null }, now: Date): RefreshWorth {
  if (token.rotatedAt !== null && now.getTime() - token.rotatedAt.getTime() > REFRESH_REUSE_GRACE_S * 1_000) return "reused";
  return token.expiresAt <= now ? "expired" : "renew";
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}
