import { problem, SIGNATURE_TOKEN_HEADER } from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { LOOPBACK_NAMES } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { carriesCsrfToken } from "./csrf-cookies.ts";
import { sendProblem } from "./problem-reply.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses, before any body is read, what another site may have made a browser send.
 * A call that carries `X-Signature-Token` relies on that header alone, which no other site can send: it is let through (contract §2).
 * Where no call is, nothing is asked for: the answer is 404 or 405.
 * Source: OWASP ASVS 5.0 §3.5.1; Fetch Metadata (W3C), `Sec-Fetch-Site`.
 */
export function guardRequests(
  app: FastifyInstance,
  platform: Pick<Platform, "settings" | "secrets">,
): void {
  const origins = ownOrigins(platform.settings.publicUrl);
  app.addHook("onRequest", async (request, reply) => {
    if (namesTwoHosts(request)) return sendProblem(reply, problem("malformed_request"));
    if (
      SAFE_METHODS.has(request.method) ||
      request.is404 ||
      isForAnybody(request) ||
      hasSignatureToken(request)
    )
      return;
    if (isForeign(request, origins)) return sendProblem(reply, problem("foreign_origin"));
    if (!carriesCsrfToken(request, platform)) return sendProblem(reply, problem("csrf_failed"));
  });
}

/** Whoever stands before us may have gone by the other one (RFC 9112 §3.2 and RFC 9113 §8.3.1: to be refused). Names and values alternate. */
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
  return (
    site === "cross-site" || site === "same-site" || (origin !== undefined && !origins.has(origin))
  );
}
