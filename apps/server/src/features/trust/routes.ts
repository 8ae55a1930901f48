import { problem } from "@paraphe/contracts";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from "fastify";
import { limitCalls } from "../../platform/http/request-guard.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { clientFontFaces } from "../../platform/http/serve-client.ts";
import type { Platform } from "../../platform/platform.ts";
import { OCSP_VALIDITY_MS } from "./gather-long-term.ts";
import type { PublishedCrl, Trust } from "./create-trust.ts";
import { pemOf } from "./root-key-file.ts";
import { POLICY_PAGE_CSP, policyPage } from "./policy-page.ts";

const MAX_REQUEST_BYTES = 16_384;
const HOUR_S = 3_600;
/** Certificates are immutable, lists renewed twice a day. */
const CERTIFICATE_CACHE = `public, max-age=${24 * HOUR_S}`;
const CRL_CACHE = `public, max-age=${HOUR_S}`;
const TSA_CALLS = { kind: "pki-tsa", perMinute: 60 };
const OCSP_CALLS = { kind: "pki-ocsp", perMinute: 300 };

/**
 * Contract §6: certificates, revocation lists, OCSP, time-stamps, the seal's keys; no session, no
 * cookie.
 */
export function trustRoutes(
  platform: Pick<Platform, "db" | "clock" | "settings">,
  trust: Trust,
): FastifyPluginAsync {
  return async (app) => {
    app.addContentTypeParser(
      ["application/ocsp-request", "application/timestamp-query"],
      { parseAs: "buffer", bodyLimit: MAX_REQUEST_BYTES },
      (_request, body, done) => done(null, body),
    );
    certificateRoutes(app, trust);
    listRoutes(app, trust);
    protocolRoutes(app, platform, trust);
    app.get("/.well-known/jwks.json", HIDE, async (_request, reply) =>
      sendPublic(reply, {
        type: "application/jwk-set+json",
        cache: CRL_CACHE,
        body: JSON.stringify({ keys: await trust.sealKeys() }, null, 2),
      }),
    );
    const fontFaces = clientFontFaces();
    app.get("/politique-de-certification", HIDE, async (_request, reply) =>
      sendPublic(reply.header("content-security-policy", POLICY_PAGE_CSP), {
        type: "text/html; charset=utf-8",
        cache: CRL_CACHE,
        body: policyPage({
          publicUrl: platform.settings.publicUrl,
          pki: platform.settings.pki,
          isTimestampedOutside: platform.settings.tsaUrl !== null,
          root: trust.certificates.root,
          fontFaces,
        }),
      }),
    );
  };
}

const HIDE = { schema: { hide: true } } as const;

function certificateRoutes(app: FastifyInstance, trust: Trust): void {
  app.get("/pki/ca.pem", HIDE, async (_request, reply) =>
    sendPublic(reply, {
      type: "application/x-pem-file",
      cache: CERTIFICATE_CACHE,
      body: trust.certificates.issuers.map(({ der }) => pemOf(der)).join(""),
    }),
  );
  app.get("/pki/root.crt", HIDE, async (_request, reply) =>
    sendCertificate(reply, trust.certificates.root),
  );
  app.get("/pki/ca.crt", HIDE, async (_request, reply) =>
    sendCertificate(reply, trust.certificates.ca),
  );
  app.get<{ Params: { issuer: string } }>("/pki/ca/:issuer", HIDE, async (request, reply) => {
    const id = idIn(request.params.issuer, ".crt");
    const issuer = trust.certificates.issuers.find((candidate) => candidate.id === id);
    return issuer === undefined
      ? sendProblem(reply, problem("not_found"))
      : sendCertificate(reply, issuer.der);
  });
}

function sendCertificate(reply: FastifyReply, der: Uint8Array): FastifyReply {
  return sendPublic(reply, { type: "application/pkix-cert", cache: CERTIFICATE_CACHE, body: der });
}

function listRoutes(app: FastifyInstance, trust: Trust): void {
  app.get("/pki/crl.der", HIDE, async (_request, reply) => sendCrl(reply, await trust.crl("ca")));
  app.get("/pki/root.crl", HIDE, async (_request, reply) =>
    sendCrl(reply, await trust.crl("root")),
  );
  // Certificates name their own issuer's address, which stays.
  app.get<{ Params: { issuer: string } }>("/pki/crl/:issuer", HIDE, async (request, reply) =>
    sendCrl(reply, await trust.crl({ id: idIn(request.params.issuer, ".crl") })),
  );
}

/** OCSP and RFC 3161. */
function protocolRoutes(
  app: FastifyInstance,
  platform: Pick<Platform, "db" | "clock" | "settings">,
  trust: Trust,
): void {
  const answerOcsp = async (reply: FastifyReply, requestDer: Uint8Array) =>
    sendPublic(reply, {
      type: "application/ocsp-response",
      cache: `public, max-age=${OCSP_VALIDITY_MS / 2_000}, no-transform`,
      body: await trust.answerOcsp(requestDer),
    });
  const ocsp = { ...HIDE, onRequest: limitCalls(platform, OCSP_CALLS) };
  app.post("/pki/ocsp", ocsp, (request, reply) => answerOcsp(reply, bytesOf(request.body)));
  // RFC 6960 appendix A.1: base64, percent-encoded, as the rest of the path.
  app.get<{ Params: { "*": string } }>("/pki/ocsp/*", ocsp, (request, reply) =>
    answerOcsp(reply, new Uint8Array(Buffer.from(request.params["*"], "base64"))),
  );
  const tsa = { ...HIDE, onRequest: limitCalls(platform, TSA_CALLS) };
  app.post("/pki/tsa", tsa, async (request, reply) => {
    const body = await trust.answerTimestamp(bytesOf(request.body));
    return sendPublic(reply, { type: "application/timestamp-reply", cache: "no-store", body });
  });
}

function sendCrl(reply: FastifyReply, crl: PublishedCrl | null): FastifyReply {
  if (crl === null) return sendProblem(reply, problem("not_found"));
  return sendPublic(reply, { type: "application/pkix-crl", cache: CRL_CACHE, body: crl.der });
}

function idIn(name: string, ending: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : "";
}

function sendPublic(
  reply: FastifyReply,
  answer: { readonly type: string; readonly cache: string; readonly body: Uint8Array | string },
): FastifyReply {
  const body = typeof answer.body === "string" ? answer.body : Buffer.from(answer.body);
  return reply
    .type(answer.type)
    .header("cache-control", answer.cache)
    .header("cross-origin-resource-policy", "cross-origin")
    .send(body);
}

/** Another content type was parsed as something else, or not at all. */
function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? new Uint8Array(body) : new Uint8Array();
}
