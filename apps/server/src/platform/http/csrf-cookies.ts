import { timingSafeEqual } from "node:crypto";
import { CSRF_COOKIE, CSRF_HEADER } from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform.ts";

/** Sibling sites cannot write it, scripts cannot read it (RFC 6265bis §4.1.3.2). */
export const CSRF_SECRET_COOKIE = "__Host-csrf";
const SECRET_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;
const SECRET_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;
/** The page sends it in `X-CSRFToken` (contract §2). */
const TOKEN_FLAGS = { httpOnly: false, secure: true, sameSite: "lax", path: "/" } as const;

/**
 * Source: OWASP Cross-Site Request Forgery Prevention, « Signed Double-Submit Cookie »; RFC 2104.
 */
export function csrfTokenOf({ secrets }: Pick<Platform, "secrets">, secret: string): string {
  return Buffer.from(secrets.hmac("csrf token", new TextEncoder().encode(secret))).toString(
    "base64url",
  );
}

/** Ignores the `csrftoken` cookie: sibling sites can write it, but not derive a token. */
export function carriesCsrfToken(
  request: FastifyRequest,
  platform: Pick<Platform, "secrets">,
): boolean {
  const secret = secretOf(request);
  const header = request.headers[CSRF_HEADER];
  if (secret === null || typeof header !== "string" || !SHAPE.test(header)) return false;
  return timingSafeEqual(Buffer.from(header), Buffer.from(csrfTokenOf(platform, secret)));
}

export function ensureCsrfCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  platform: Pick<Platform, "secrets" | "random">,
): void {
  const secret = secretOf(request);
  if (secret === null) return renewCsrfCookies(reply, platform);
  const token = csrfTokenOf(platform, secret);
  if (request.cookies[CSRF_COOKIE] !== token) reply.setCookie(CSRF_COOKIE, token, TOKEN_FLAGS);
}

export function renewCsrfCookies(
  reply: FastifyReply,
  platform: Pick<Platform, "secrets" | "random">,
): void {
  const secret = toBase64Url(platform.random(SECRET_BYTES));
  reply.setCookie(CSRF_SECRET_COOKIE, secret, SECRET_FLAGS);
  reply.setCookie(CSRF_COOKIE, csrfTokenOf(platform, secret), TOKEN_FLAGS);
}

function secretOf(request: FastifyRequest): string | null {
  const secret = request.cookies[CSRF_SECRET_COOKIE] ?? "";
  return SHAPE.test(secret) ? secret : null;
}
