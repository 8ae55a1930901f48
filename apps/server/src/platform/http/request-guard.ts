import { timingSafeEqual } from "node:crypto";
import { CSRF_COOKIE, CSRF_HEADER, problem, SIGNATURE_TOKEN_HEADER } from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { LOOPBACK_NAMES } from "../loopback.ts";
import type { Settings } from "../settings/settings.ts";
import { sendProblem } from "./problem-reply.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses, before any body is read, what another site may have made a browser send.
 * A call that carries `X-Signature-Token` relies on that header alone, which no other site can send: it is let through (contract §2).
 * Source: OWASP ASVS 5.0 §3.5.1; Fetch Metadata (W3C), `Sec-Fetch-Site`.
 */
export function guardRequests(app: FastifyInstance, settings: Settings): void {
  const origins = ownOrigins(settings.publicUrl);
  app.addHook("onRequest", async (request, reply) => {
    if (request.method === "TRACE" || request.method === "CONNECT") return sendProblem(reply, problem("method_not_allowed"));
    if (hasTwoHosts(request)) return sendProblem(reply, problem("malformed_request"));
    if (SAFE_METHODS.has(request.method) || isForAnybody(request) || hasSignatureToken(request)) return;
    if (isForeign(request, origins)) return sendProblem(reply, problem("foreign_origin"));
    if (!carriesCsrfToken(request)) return sendProblem(reply, problem("csrf_failed"));
  });
}

/** Whoever stands before us may have gone by the other one (RFC 9112 §3.2: to be refused). Names and values alternate. */
function hasTwoHosts({ raw }: FastifyRequest): boolean {
  return raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length > 1;
}

/** The authorities' own protocols (OCSP, RFC 3161) know no cookie. The route that matched is asked: an address may be spelt in many ways. */
function isForAnybody(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith("/pki/") === true;
}

/** True when the call relies on its signature token, and therefore on no cookie of a session. */
export function hasSignatureToken(request: FastifyRequest): boolean {
  return request.headers[SIGNATURE_TOKEN_HEADER] !== undefined;
}

/** The public origin; on a person's own machine, also its other names. */
function ownOrigins(publicUrl: string): ReadonlySet<string> {
  const url = new URL(publicUrl);
  if (!LOOPBACK_NAMES.includes(url.hostname)) return new Set([url.origin]);
  return new Set(LOOPBACK_NAMES.map((name) => `https://${name}${url.port ? `:${url.port}` : ""}`));
}

function isForeign(request: FastifyRequest, origins: ReadonlySet<string>): boolean {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site" || (origin !== undefined && !origins.has(origin));
}

/** Double submit: only a page of this origin can read the cookie and send it back in a header. */
function carriesCsrfToken(request: FastifyRequest): boolean {
  const cookie = Buffer.from(request.cookies[CSRF_COOKIE] ?? "");
  const header = request.headers[CSRF_HEADER];
  const sent = Buffer.from(typeof header === "string" ? header : "");
  return cookie.length > 0 && cookie.length === sent.length && timingSafeEqual(cookie, sent);
}
