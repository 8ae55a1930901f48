import {
  KEY_PREFIX,
  type Problem,
  type ProblemCode,
  problem,
  SIGNATURE_TOKEN_HEADER,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LOOPBACK_NAMES, networkOf } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { limitRate, throttleKey } from "../throttle/throttle.ts";
import { carriesCsrfToken } from "./csrf-cookies.ts";
import { sendProblem } from "./problem-reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refuses a caller whose session or key ended while a slow body arrived. */
    readmit: (() => Promise<Problem | null>) | null;
    noteUse: (() => Promise<void>) | null;
  }
}

const NOT_ADMITTED = new Set([401, 403, 404, 429]);
/** `__Host-`: no sibling site sets them (`docs/adr/0021-prefix-cookies-with-host.md`). */
export const ACCESS = "__Host-access_token";
export const REFRESH = "__Host-refresh_token";
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses cross-site requests before any body. `X-Signature-Token` and API keys exempt a call: no
 * other site can send them (contract §2). An unknown address stays 404 or 405.
 * Source: OWASP ASVS 5.0 §3.5.1; Fetch Metadata (W3C), `Sec-Fetch-Site`.
 */
export function guardRequests(
  app: FastifyInstance,
  platform: Pick<Platform, "settings" | "secrets" | "log">,
): void {
  const origins = ownOrigins(platform.settings.publicUrl);
  const callers = new Map<string, ReadonlySet<Admission["by"]>>();
  app.addHook("onRoute", ({ url, method, onRequest }) => {
    for (const one of [method].flat()) {
      const admitted = admissionsOf([onRequest].flat(), one);
      callers.set(`${one} ${url}`, new Set(admitted.map(({ by }) => by)));
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    if (namesTwoHosts(request)) return sendProblem(reply, problem("malformed_request"));
    if (request.url.includes(KEY_PREFIX)) return sendProblem(reply, problem("key_in_address"));
    if (
      SAFE_METHODS.has(request.method) ||
      request.is404 ||
      isForAnybody(request) ||
      hasSignatureToken(request)
    )
      return;
    const { cookies, method, routeOptions } = request;
    const callersOf = callers.get(`${method} ${routeOptions.url}`);
    if (apiKeyOf(request) !== null)
      return callersOf?.has("member") || callersOf?.has("signer")
        ? undefined
        : sendProblem(reply, problem("key_not_for_programs"));
    if (isForeign(request, origins)) return sendProblem(reply, problem("foreign_origin"));
    if (carriesCsrfToken(request, platform)) return;
    const hasSession = cookies[ACCESS] !== undefined || cookies[REFRESH] !== undefined;
    const lacksSession = !hasSession && callersOf?.has("member");
    return sendProblem(reply, problem(lacksSession ? "session_expired" : "csrf_failed"));
  });
  app.decorateRequest("readmit", null);
  // `read-multipart.ts` asks after a form.
  app.addHook("preValidation", async (request, reply) => {
    const refusal = (await request.readmit?.()) ?? null;
    return refusal === null ? undefined : sendProblem(reply, refusal);
  });
  app.decorateRequest("noteUse", null);
  app.addHook("onSend", async (request, reply, payload) => {
    if (!request.noteUse || NOT_ADMITTED.has(reply.statusCode)) return payload;
    await request.noteUse().catch((error: unknown) => {
      platform.log.warn({ error }, "a key's use could not be stored");
    });
    return payload;
  });
}

/**
 * A proxy may route by the other host (RFC 9112 §3.2, RFC 9113 §8.3.1). Names and values alternate.
 */
function namesTwoHosts({ raw }: FastifyRequest): boolean {
  const hosts = raw.rawHeaders.flatMap((text, index) =>
    index % 2 === 0 && /^(host|:authority)$/i.test(text)
      ? [{ name: text.toLowerCase(), host: raw.rawHeaders[index + 1]?.toLowerCase() }]
      : [],
  );
  return hosts.some(({ name, host }, index) =>
    hosts.slice(0, index).some((other) => other.name === name || other.host !== host),
  );
}

/**
 * OCSP, RFC 3161 and a provider's logout know no cookie. Checked by route, as an address has many
 * spellings.
 */
function isForAnybody(request: FastifyRequest): boolean {
  return /^\/(pki|auth)\//.test(request.routeOptions.url ?? "");
}

export function hasSignatureToken(request: FastifyRequest): boolean {
  return request.headers[SIGNATURE_TOKEN_HEADER] !== undefined;
}

/** `Authorization: Bearer pk_live_…` (RFC 6750 §2.1); a proxy's token is not ours. */
export function apiKeyOf({ headers }: FastifyRequest): string | null {
  const [, token = ""] = /^bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return token.startsWith(KEY_PREFIX) ? token : null;
}

/** A developer's machine has every loopback name. */
function ownOrigins(publicUrl: string): ReadonlySet<string> {
  const url = new URL(publicUrl);
  if (!LOOPBACK_NAMES.includes(url.hostname)) return new Set([url.origin]);
  return new Set(LOOPBACK_NAMES.map((name) => `https://${name}${url.port ? `:${url.port}` : ""}`));
}

function isForeign(request: FastifyRequest, origins: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  return (
    site === "cross-site" || site === "same-site" || (origin !== undefined && !origins.has(origin))
  );
}

export function limitCalls(
  platform: Pick<Platform, "db" | "settings" | "clock">,
  { kind, perMinute }: { readonly kind: string; readonly perMinute: number },
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const key = throttleKey(kind, networkOf(request.ip));
    const limited = await limitRate(platform, { key, limit: perMinute, windowS: 60 });
    return limited.ok ? undefined : sendProblem(reply, limited.error);
  };
}

/**
 * Whom a hook admits: a session or a key; the same, or a visitor; a mailed link; a link or a
 * session; any of these. `refuses`: its codes.
 */
export type Admission = {
  readonly by?: "member" | "visitor" | "link" | "signer" | "reader";
  readonly refuses: readonly ProblemCode[];
  readonly changesOnly?: true;
};

const admissions = new WeakMap<object, Admission>();

export function describeGuard<F extends object>(hook: F, admission: Admission): F {
  admissions.set(hook, admission);
  return hook;
}

export function admissionsOf(hooks: readonly unknown[], method: string): readonly Admission[] {
  return hooks.flatMap((hook) => {
    const found = typeof hook === "function" ? admissions.get(hook) : undefined;
    return found === undefined || (found.changesOnly && method === "GET") ? [] : [found];
  });
}
