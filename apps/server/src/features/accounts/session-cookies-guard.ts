import { ACCESS_TOKEN_S, CSRF_COOKIE, CSRF_HEADER } from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { isCsrfToken, isCsrfTokenOf, mintCsrfToken, mintVisitorCsrfToken } from "./csrf-token.ts";
import type { SessionTokens } from "./open-session.ts";

const ACCESS = "access_token";
const REFRESH = "refresh_token";
/** Contract §2. `Secure` even behind a proxy that ends TLS: the browser speaks HTTPS in every set-up. */
const ACCESS_FLAGS = { httpOnly: true, secure: true, sameSite: "lax", path: "/" } as const;
const REFRESH_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/api/" } as const;
const CSRF_FLAGS = { httpOnly: false, secure: true, sameSite: "lax", path: "/" } as const;

/** Gives the session's cookies; none for a call that relies on its signature token. */
export function sessionCookies(request: FastifyRequest): { readonly accessToken: string | null; readonly refreshToken: string | null } {
  if (hasSignatureToken(request)) return { accessToken: null, refreshToken: null };
  return { accessToken: request.cookies[ACCESS] ?? null, refreshToken: request.cookies[REFRESH] ?? null };
}

/** Sets the cookies of a session. Without « Rester connecté » they have no `Max-Age`, and go with the browser. */
export function setSessionCookies(reply: FastifyReply, tokens: SessionTokens, now: Date): void {
  const lifetime = Math.ceil((tokens.sessionEndsAt.getTime() - now.getTime()) / 1_000);
  reply.setCookie(ACCESS, tokens.accessToken, {
    ...ACCESS_FLAGS,
    ...(tokens.remembered ? { maxAge: Math.min(ACCESS_TOKEN_S, lifetime) } : {}),
  });
  reply.setCookie(REFRESH, tokens.refreshToken, { ...REFRESH_FLAGS, ...(tokens.remembered ? { maxAge: lifetime } : {}) });
}

/** Removes the cookies of a session. */
export function clearSessionCookies(reply: FastifyReply): void {
  reply.clearCookie(ACCESS, ACCESS_FLAGS);
  reply.clearCookie(REFRESH, REFRESH_FLAGS);
}

/** Gives the page a new CSRF token: of this session, or a visitor's (null). All the tabs of a browser share it. */
export function renewCsrfCookie(reply: FastifyReply, options: { readonly platform: Platform; readonly sessionId: string | null }): void {
  const { platform, sessionId } = options;
  const token = sessionId === null ? mintVisitorCsrfToken(platform) : mintCsrfToken(platform, sessionId);
  reply.setCookie(CSRF_COOKIE, token, CSRF_FLAGS);
}

/** Gives the page a CSRF token of its session, or some token to a visitor's, unless it has one. */
export function keepCsrfCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { readonly platform: Platform; readonly sessionId: string | null },
): void {
  const { platform, sessionId } = options;
  const token = request.cookies[CSRF_COOKIE] ?? "";
  const isGood = sessionId === null ? isCsrfToken(token) : isCsrfTokenOf(platform, token, sessionId);
  if (!isGood) renewCsrfCookie(reply, options);
}

/**
 * Tells whether a change that relies on this session's cookies brings that session's own CSRF token. That the header repeats the cookie is checked
 * before (`platform/http/request-guard.ts`): a cookie that another site planted is told here.
 */
export function hasCsrfTokenOf(request: FastifyRequest, platform: Platform, sessionId: string): boolean {
  const header = request.headers[CSRF_HEADER];
  return isCsrfTokenOf(platform, typeof header === "string" ? header : "", sessionId);
}
