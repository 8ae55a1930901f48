import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../../platform/platform.ts";

const NONCE_LENGTH = 16;
const MAC_LENGTH = 16;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Gives a new CSRF token of a session: 128 random bits, then the HMAC of both, so that a token of one session is none of another.
 * Source: OWASP Cross-Site Request Forgery Prevention, « Signed Double-Submit Cookie »; RFC 2104 §5 (128 bits are kept of the 256).
 */
export function mintCsrfToken(platform: Pick<Platform, "secrets" | "random">, sessionId: string): string {
  const nonce = platform.random(NONCE_LENGTH);
  return Buffer.concat([nonce, macOf(platform, { nonce, sessionId })]).toString("base64url");
}

/**
 * Gives a new CSRF token of a visitor: random, and of nobody. A signature would guard nothing, since anybody who asks is given one that they could plant;
 * a visitor's calls are guarded by the header that repeats the cookie and by their origin, a subdomain's being foreign (`platform/http/request-guard.ts`).
 */
export function mintVisitorCsrfToken(platform: Pick<Platform, "random">): string {
  return Buffer.from(platform.random(NONCE_LENGTH + MAC_LENGTH)).toString("base64url");
}

/** Tells whether a token has the shape of ours. */
export function isCsrfToken(token: string): boolean {
  return SHAPE.test(token);
}

/** Tells whether a token is this session's. */
export function isCsrfTokenOf(platform: Pick<Platform, "secrets">, token: string, sessionId: string): boolean {
  if (!isCsrfToken(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  const nonce = bytes.subarray(0, NONCE_LENGTH);
  return timingSafeEqual(bytes.subarray(NONCE_LENGTH), macOf(platform, { nonce, sessionId }));
}

function macOf(platform: Pick<Platform, "secrets">, { nonce, sessionId }: { nonce: Uint8Array; sessionId: string }): Uint8Array {
  const data = Buffer.concat([nonce, Buffer.from(sessionId)]);
  return platform.secrets.hmac("csrf token", new Uint8Array(data)).subarray(0, MAC_LENGTH);
}
