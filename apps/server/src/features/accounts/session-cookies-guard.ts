import { ACCESS_TOKEN_S } from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { SessionTokens } from "./open-session.ts";

/** A sibling site can write no cookie of these names, and so sign nobody in as somebody else (`docs/adr/0021-prefix-the-cookies.md`). */
const ACCESS = "__Host-access_token";
const REFRESH = "__Host-refresh_token";
/** Contract §2. `Secure` even behind a proxy that ends TLS: the browser speaks HTTPS in every set-up. */
const ACCESS_FLAGS = { httpOnly: true, secure: true, sameSite: "lax", path: "/" } as const;
const REFRESH_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;

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
