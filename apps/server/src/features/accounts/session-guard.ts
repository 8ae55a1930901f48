import {
  ACCESS_TOKEN_S,
  failure,
  type KeyScope,
  type Problem,
  problem,
  type Result,
  SECOND_STEP_S,
  success,
} from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Also } from "./session-store.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import {
  ACCESS,
  type Admission,
  apiKeyOf,
  describeGuard,
  hasSignatureToken,
  REFRESH,
} from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { createMinuteCounter, type MinuteCounter } from "../../platform/throttle/throttle.ts";
import { isPermitted, type OrganisationAction, refusalOf } from "../organisations/public.ts";
import { findKeyUser } from "./keys/keys.ts";
import {
  type SessionTokens,
  type SessionUser,
  findSessionUser,
  livingSessions,
} from "./sessions.ts";

/** Contract §2. `Secure` behind a proxy too: browsers speak HTTPS. */
const ACCESS_FLAGS = { httpOnly: true, secure: true, sameSite: "lax", path: "/" } as const;
const REFRESH_FLAGS = { httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;

/** Gives none for a call with a signature token. */
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

/** Without « Rester connecté », cookies have no `Max-Age`. */
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
 * These cookies bind a step of a login to its browser: after the password, before any name, at a
 * provider. They are separate, so that a late challenge never replaces the step.
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
    user: SessionUser | null;
    /** What the hook asked for beside it; null for a key. */
    alongside: unknown;
  }
}

const REQUESTS_PER_MINUTE = 1_200;
const counters = new WeakMap<Platform, MinuteCounter>();

function counterOf(platform: Platform): MinuteCounter {
  const counter = counters.get(platform) ?? createMinuteCounter(REQUESTS_PER_MINUTE);
  counters.set(platform, counter);
  return counter;
}

/** A session or key that ended works no longer than this. */
const ADMITTED_MS = 1_000;

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;
type Refusal = (request: FastifyRequest) => Problem | null;
type Asking = (request: FastifyRequest) => Also;

/** Sets `request.user` before the body is read, and sends the refusal. */
function guard(
  platform: Platform,
  { also, ...admission }: Admission & { readonly also?: Asking | undefined },
  refuse: Refusal,
): Guard {
  const admit = async (request: FastifyRequest) => {
    const identified = await findCaller(platform, request, also?.(request));
    if (!identified.ok) return identified.error;
    request.user = identified.value;
    return refuse(request);
  };
  const hook: Guard = async (request, reply) => {
    const refusal = await admit(request);
    if (refusal !== null) return sendProblem(reply, refusal);
    const since = performance.now();
    request.readmit = async () => {
      if (performance.now() - since <= ADMITTED_MS) return null;
      if (request.user?.means === "key") return admit(request);
      const id = request.user?.session_id;
      // A session outlives its access token (15 minutes).
      const isOver = id !== undefined && !(await livingSessions(platform, [id])).has(id);
      return isOver ? problem("session_expired") : null;
    };
    return undefined;
  };
  return describeGuard(hook, admission);
}

/** Refuses only a key outside its rights. */
export function identifyUser(platform: Platform): Guard {
  return guard(platform, { by: "visitor", refuses: [] }, () => null);
}

/** Treats an account without its required factor as a visitor. */
export function optionalUser(platform: Platform): Guard {
  return guard(platform, { by: "visitor", refuses: [] }, (request) => {
    if (lacksFactor(platform, request.user)) request.user = null;
    return null;
  });
}

/** 401 for a visitor; admits whoever has yet to add the required factor. */
export function requireSession(platform: Platform): Guard {
  return guard(platform, { by: "member", refuses: ["session_expired"] }, ({ user }) =>
    sessionRefusal(platform, user),
  );
}

export function requireUser(platform: Platform, also?: Asking): Guard {
  return guard(
    platform,
    { by: "member", refuses: ["session_expired", "factor_required"], also },
    ({ user }) =>
      sessionRefusal(platform, user) ??
      (lacksFactor(platform, user) ? problem("factor_required") : null),
  );
}

/** Also refuses after 1 200 calls a minute of an account or key (security line 61). */
function sessionRefusal(platform: Platform, user: SessionUser | null): Problem | null {
  if (user === null) return problem("session_expired");
  if (platform.settings.rateLimits === "off") return null;
  const { allowed, retryAfterS } = counterOf(platform).hit(
    user.key_id ?? user.id,
    platform.clock(),
  );
  return allowed ? null : problem("too_many_requests", { retryAfterS });
}

function lacksFactor({ clock }: Platform, user: SessionUser | null): boolean {
  const by = user?.second_factor_by ?? null;
  return by !== null && by <= clock();
}

export function factorDayOf({ user }: FastifyRequest): { readonly second_factor_by?: string } {
  const by = user?.second_factor_by ?? null;
  return by === null ? {} : { second_factor_by: by.toISOString() };
}

function permit(action: OrganisationAction) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply) =>
      isPermitted(signedInUser(request).role, action)
        ? undefined
        : sendProblem(reply, problem(refusalOf(action))),
    { refuses: [refusalOf(action)] },
  );
}

export function requirePermission(platform: Platform, action: OrganisationAction) {
  return [requireUser(platform), permit(action)];
}

export function requireWorkToWrite(platform: Platform, also?: Asking) {
  const mayWork = permit("do_work");
  return [
    requireUser(platform, also),
    describeGuard(
      async (request: FastifyRequest, reply: FastifyReply) =>
        request.method === "GET" || request.method === "HEAD" ? undefined : mayWork(request, reply),
      { refuses: [refusalOf("do_work")], changesOnly: true },
    ),
  ];
}

/** A signature token comes first, then an API key, then cookies (contract §2). */
async function findCaller(
  platform: Platform,
  request: FastifyRequest,
  also: Also,
): Promise<Result<SessionUser | null, Problem>> {
  if (hasSignatureToken(request)) return success(null);
  const secret = apiKeyOf(request);
  if (secret === null) {
    const found = await findSessionUser(platform, sessionCookies(request).accessToken, also);
    request.alongside = found?.also ?? null;
    return success(found?.user ?? null);
  }
  const { ip, method } = request;
  const route = request.routeOptions.url ?? "";
  const found = await findKeyUser(platform, { secret, ip, method, route });
  if (!found.ok) return found;
  const { user, noteUse } = found.value;
  request.noteUse = noteUse;
  // A program cannot add the factor, so no call is open to it meanwhile.
  return lacksFactor(platform, user) ? failure(problem("key_factor_required")) : success(user);
}

/** For a part of a call that needs more than its route. Errors: `key_scope`. */
export function requireScope({ user }: FastifyRequest, scope: KeyScope): Result<null> {
  return user?.key_scopes?.includes(scope) === false
    ? failure(problem("key_scope", { params: { scope } }))
    : success(null);
}

export function signedInUser(request: FastifyRequest): SessionUser {
  if (request.user === null)
    throw new Error("signedInUser is called on a route without requireUser");
  return request.user;
}
