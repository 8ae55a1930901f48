import { ACCESS_TOKEN_S, problem } from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { createMinuteCounter, type MinuteCounter } from "../../platform/throttle/throttle.ts";
import { findSessionUser, type SessionUser } from "./find-session-user.ts";
import type { SessionTokens } from "./open-session.ts";

/** A sibling site can write no cookie of these names, and so sign nobody in as somebody else (`docs/adr/0021-prefix-cookies-with-host.md`). */
const ACCESS = "__Host-access_token";
const REFRESH = "__Host-refresh_token";
/** Contract §2. `Secure` even behind a proxy that ends TLS: the browser speaks HTTPS in every set-up. */
const ACCESS_FLAGS = { httpOnly: true, secure: true, sameSite: "lax", path: "/" } as const;
const REFRESH_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;

/** Gives the session's cookies; none for a call that relies on its signature token. */
export function sessionCookies(request: FastifyRequest): {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
} {
  if (hasSignatureToken(request)) return { accessToken: null, refreshToken: null };
  return {
    accessToken: request.cookies[ACCESS] ?? null,
    refreshToken: request.cookies[REFRESH] ?? null,
  };
}

/** Sets the cookies of a session. Without « Rester connecté » they have no `Max-Age`, and go with the browser. */
export function setSessionCookies(reply: FastifyReply, tokens: SessionTokens, now: Date): void {
  const lifetime = Math.ceil((tokens.sessionEndsAt.getTime() - now.getTime()) / 1_000);
  reply.setCookie(ACCESS, tokens.accessToken, {
    ...ACCESS_FLAGS,
    ...(tokens.remembered ? { maxAge: Math.min(ACCESS_TOKEN_S, lifetime) } : {}),
  });
  reply.setCookie(REFRESH, tokens.refreshToken, {
    ...REFRESH_FLAGS,
    ...(tokens.remembered ? { maxAge: lifetime } : {}),
  });
}

/** Removes the cookies of a session. */
export function clearSessionCookies(reply: FastifyReply): void {
  reply.clearCookie(ACCESS, ACCESS_FLAGS);
  reply.clearCookie(REFRESH, REFRESH_FLAGS);
}

declare module "fastify" {
  interface FastifyRequest {
    /** Whoever is signed in, behind `requireUser` or `optionalUser`. */
    user: SessionUser | null;
  }
}

const REQUESTS_PER_MINUTE = 1_200;
/** One count for all the guards of a platform. */
const counters = new WeakMap<Platform, MinuteCounter>();

function counterOf(platform: Platform): MinuteCounter {
  const counter = counters.get(platform) ?? createMinuteCounter(REQUESTS_PER_MINUTE);
  counters.set(platform, counter);
  return counter;
}

/**
 * Gives the hook that lets only a signed-in user through, as `request.user`, 1 200 times a minute (security line 61). On `onRequest` it answers 401 before any body is read.
 * A call with `X-Signature-Token` relies on that header alone: its session cookie is ignored (contract §2).
 */
export function requireUser(platform: Platform) {
  const identify = optionalUser(platform);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    await identify(request);
    if (request.user === null) return sendProblem(reply, problem("session_expired"));
    if (platform.settings.rateLimits === "off") return undefined;
    const { allowed, retryAfterS } = counterOf(platform).hit(request.user.id, platform.clock());
    return allowed ? undefined : sendProblem(reply, problem("too_many_requests", { retryAfterS }));
  };
}

/** Gives the hook that names the signed-in user, if any, and lets everybody through. */
export function optionalUser(platform: Platform) {
  return async (request: FastifyRequest): Promise<void> => {
    request.user = hasSignatureToken(request)
      ? null
      : await findSessionUser(platform, sessionCookies(request).accessToken);
  };
}

/** Gives the user of a request behind `requireUser`. */
export function signedInUser(request: FastifyRequest): SessionUser {
  if (request.user === null)
    throw new Error("signedInUser is called on a route without requireUser");
  return request.user;
}
