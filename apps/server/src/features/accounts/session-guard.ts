import {
  ACCESS_TOKEN_S,
  failure,
  type Problem,
  problem,
  type Result,
  SECOND_STEP_S,
  success,
} from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { apiKeyOf, hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { createMinuteCounter, type MinuteCounter } from "../../platform/throttle/throttle.ts";
import { isPermitted, type OrganisationAction, refusalOf } from "../organisations/public.ts";
import { findKeyUser } from "./keys/keys.ts";
import { type SessionTokens, type SessionUser, findSessionUser } from "./sessions.ts";

/**
 * `__Host-`: a sibling site cannot set these cookies (`docs/adr/0021-prefix-cookies-with-host.md`).
 */
const ACCESS = "__Host-access_token";
const REFRESH = "__Host-refresh_token";
/** Contract §2. `Secure` also behind a proxy that ends TLS: the browser always speaks HTTPS. */
const ACCESS_FLAGS = { httpOnly: true, secure: true, sameSite: "lax", path: "/" } as const;
const REFRESH_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;

/** None for a call with a signature token. */
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

/** Without « Rester connecté » there is no `Max-Age`: they go with the browser. */
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

export function clearSessionCookies(reply: FastifyReply): void {
  reply.clearCookie(ACCESS, ACCESS_FLAGS);
  reply.clearCookie(REFRESH, REFRESH_FLAGS);
}

/**
 * They bind a step of a login to its browser: after the password, before any name, away at a
 * provider. Apart, so that a late challenge of the page never takes the place of the step.
 */
const LOGIN_STEPS = {
  password: "__Host-login_step",
  passkey: "__Host-passkey_step",
  provider: "__Host-provider_step",
} as const;
type LoginStepKind = keyof typeof LOGIN_STEPS;

export function loginStepOf(request: FastifyRequest, kind: LoginStepKind): string | null {
  return hasSignatureToken(request) ? null : (request.cookies[LOGIN_STEPS[kind]] ?? null);
}

export function setLoginStep(reply: FastifyReply, kind: LoginStepKind, token: string): void {
  reply.setCookie(LOGIN_STEPS[kind], token, { ...REFRESH_FLAGS, maxAge: SECOND_STEP_S });
}

export function clearLoginSteps(reply: FastifyReply): void {
  for (const name of Object.values(LOGIN_STEPS)) reply.clearCookie(name, REFRESH_FLAGS);
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the hooks below. */
    user: SessionUser | null;
  }
}

const REQUESTS_PER_MINUTE = 1_200;
const counters = new WeakMap<Platform, MinuteCounter>();

function counterOf(platform: Platform): MinuteCounter {
  const counter = counters.get(platform) ?? createMinuteCounter(REQUESTS_PER_MINUTE);
  counters.set(platform, counter);
  return counter;
}

/**
 * A hook that sets `request.user`, or answers 401 before any body is read; 1 200 calls a minute of
 * an account, and of each of its keys (security line 61). Open to whoever has yet to add the second
 * factor that is asked for.
 */
export function requireSession(platform: Platform) {
  const identify = identifyUser(platform);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const refused = await identify(request, reply);
    if (refused !== undefined) return refused;
    if (request.user === null) return sendProblem(reply, problem("session_expired"));
    if (platform.settings.rateLimits === "off") return undefined;
    const { allowed, retryAfterS } = counterOf(platform).hit(
      request.user.key_id ?? request.user.id,
      platform.clock(),
    );
    return allowed ? undefined : sendProblem(reply, problem("too_many_requests", { retryAfterS }));
  };
}

/** As `requireSession`; then 403 for whoever lacks the second factor that is asked for. */
export function requireUser(platform: Platform) {
  const admit = requireSession(platform);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const refused = await admit(request, reply);
    if (refused !== undefined || !lacksFactor(platform, request.user)) return refused;
    return sendProblem(reply, problem("factor_required"));
  };
}

function lacksFactor({ clock }: Platform, user: SessionUser | null): boolean {
  const by = user?.second_factor_by ?? null;
  return by !== null && by <= clock();
}

/** What the pages are told of a factor that is missing. */
export function factorDayOf({ user }: FastifyRequest): { readonly second_factor_by?: string } {
  const by = user?.second_factor_by ?? null;
  return by === null ? {} : { second_factor_by: by.toISOString() };
}

/** A hook after `requireUser`: 403 for whoever has no role with this permission. */
function permit(action: OrganisationAction) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    isPermitted(signedInUser(request).role, action)
      ? undefined
      : sendProblem(reply, problem(refusalOf(action)));
}

export function requirePermission(platform: Platform, action: OrganisationAction) {
  return [requireUser(platform), permit(action)];
}

/** A call that changes something is for those who may work; a reader reads. */
export function requireWorkToWrite(platform: Platform) {
  const mayWork = permit("do_work");
  return [
    requireUser(platform),
    async (request: FastifyRequest, reply: FastifyReply) =>
      request.method === "GET" || request.method === "HEAD" ? undefined : mayWork(request, reply),
  ];
}

/**
 * A hook that sets `request.user`; it refuses nobody but a key outside its rights. Whoever lacks a
 * factor that is asked for is a visitor.
 */
export function optionalUser(platform: Platform) {
  const identify = identifyUser(platform);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const refused = await identify(request, reply);
    if (refused !== undefined) return refused;
    if (lacksFactor(platform, request.user)) request.user = null;
    return undefined;
  };
}

/** Sets `request.user`, whatever is asked of it. */
export function identifyUser(platform: Platform) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const identified = await findCaller(platform, request);
    if (!identified.ok) return sendProblem(reply, identified.error);
    request.user = identified.value;
    return undefined;
  };
}

/** A signature token counts before an API key, and a key before the cookies (contract §2). */
async function findCaller(
  platform: Platform,
  request: FastifyRequest,
): Promise<Result<SessionUser | null, Problem>> {
  if (hasSignatureToken(request)) return success(null);
  const secret = apiKeyOf(request);
  if (secret === null)
    return success(await findSessionUser(platform, sessionCookies(request).accessToken));
  const { ip, method } = request;
  const route = request.routeOptions.url ?? "";
  const found = await findKeyUser(platform, { secret, ip, method, route });
  // A program adds no factor: no call is open to it meanwhile.
  return found.ok && lacksFactor(platform, found.value)
    ? failure(problem("key_factor_required"))
    : found;
}

export function signedInUser(request: FastifyRequest): SessionUser {
  if (request.user === null)
    throw new Error("signedInUser is called on a route without requireUser");
  return request.user;
}
