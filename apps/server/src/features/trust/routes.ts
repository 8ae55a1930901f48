import { problem, LEGAL_VERSIONS } from "@paraphe/contracts";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from "fastify";
import { limitCalls } from "../../platform/http/request-guard.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { clientFontFaces } from "../../platform/http/serve-client.ts";
import type { Platform } from "../../platform/platform.ts";
import { OCSP_VALIDITY_MS } from "./gather-long-term.ts";
import type { PublishedCrl, Trust } from "./create-trust.ts";
import { pemOf } from "./rotate-authority.ts";
import { createHash } from "node:crypto";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import type { PkiSettings } from "../../platform/settings/settings.ts";
import { SIGNER_POLICY_OID, TIMESTAMP_POLICY_OID, VOUCHED_POLICY_OID } from "./make-authority.ts";

const MAX_REQUEST_BYTES = 16_384;
const HOUR_S = 3_600;
/** Certificates never change; lists do twice a day. */
const CERTIFICATE_CACHE = `public, max-age=${24 * HOUR_S}`;
const CRL_CACHE = `public, max-age=${HOUR_S}`;
const TSA_CALLS = { kind: "pki-tsa", perMinute: 60 };
const OCSP_CALLS = { kind: "pki-ocsp", perMinute: 300 };

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
  // Certificates name this address, so it stays.
  app.get<{ Params: { issuer: string } }>("/pki/crl/:issuer", HIDE, async (request, reply) =>
    sendCrl(reply, await trust.crl({ id: idIn(request.params.issuer, ".crl") })),
  );
}

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
  // RFC 6960 appendix A.1: percent-encoded base64 takes the rest of the path.
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

/** Bodies of other content types are parsed otherwise, or not at all. */
function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? new Uint8Array(body) : new Uint8Array();
}

const BRAND_MARK =
  '<svg viewBox="0 0 64 64" width="30" height="30" fill="currentColor" aria-hidden="true"><path d="M17.2 21.1L17.5 20.9L17.7 20.6L18.0 20.3L18.2 20.0L18.5 19.7L18.7 19.4L18.9 19.1L19.1 18.8L19.3 18.6L19.5 18.3L19.7 18.0L19.9 17.7L20.0 17.4L20.2 17.1L20.3 16.8L20.4 16.5L20.5 16.2L20.6 15.9L20.8 15.6L20.9 15.3L21.0 15.1L21.1 14.8L21.2 14.5L21.3 14.2L21.5 13.9L21.6 13.6L21.9 13.3L22.2 13.0L22.6 12.7L23.0 12.5L23.4 12.2L23.8 12.0L24.2 11.7L24.7 11.5L25.1 11.3L25.6 11.0L26.0 10.8L26.5 10.6L27.0 10.4L27.5 10.2L28.0 10.0L28.5 9.8L29.0 9.6L29.4 9.5L29.9 9.3L30.4 9.2L30.9 9.1L31.4 9.0L31.9 8.9L32.4 8.8L32.8 8.8L33.3 8.7L33.8 8.7L34.3 8.7L34.8 8.7L35.3 8.7L35.8 8.6L36.4 8.6L36.9 8.7L37.5 8.7L38.1 8.7L38.6 8.8L39.2 8.8L39.7 8.9L40.3 9.0L40.8 9.1L41.3 9.2L41.8 9.3L42.3 9.5L42.8 9.6L43.2 9.8L43.7 9.9L44.0 10.1L44.4 10.3L44.7 10.5L45.0 10.7L45.2 10.8L45.4 11.0L45.6 11.2L45.8 11.4L46.0 11.6L46.2 11.8L46.4 12.0L46.6 12.3L46.7 12.6L46.9 12.8L47.1 13.1L47.3 13.5L47.5 13.8L47.7 14.1L47.8 14.4L48.0 14.8L48.1 15.1L48.2 15.5L48.4 15.8L48.5 16.2L48.6 16.5L48.7 16.9L48.8 17.2L48.8 17.5L48.9 17.9L48.9 18.2L49.0 18.5L49.0 18.7L49.1 19.1L49.1 19.4L49.1 19.8L49.0 20.2L48.9 20.6L48.8 21.1L48.6 21.5L48.5 22.0L48.3 22.5L48.0 22.9L47.8 23.4L47.5 23.9L47.2 24.3L46.9 24.8L46.6 25.2L46.3 25.7L46.0 26.1L45.6 26.6L45.2 27.0L44.9 27.4L44.5 27.8L44.1 28.1L43.7 28.4L43.2 28.7L42.8 28.9L42.4 29.1L42.0 29.3L41.6 29.5L41.1 29.6L40.7 29.8L40.2 29.9L39.7 30.1L39.2 30.2L38.7 30.4L38.2 30.5L37.6 30.6L37.1 30.7L36.6 30.8L36.0 30.9L35.5 31.0L35.0 31.0L34.5 31.1L34.0 31.1L33.5 31.2L33.0 31.2L32.5 31.2L32.1 31.1L31.7 31.1L31.3 31.1L30.9 31.0L30.6 30.9L30.3 30.8L30.2 30.7L30.1 30.7L30.0 30.6L29.9 30.5L29.8 30.4L29.7 30.4L29.6 30.3L29.5 30.2L29.4 30.1L29.2 30.0L29.1 30.0L28.9 29.9L28.7 29.9L28.5 29.8L28.3 29.8L28.1 29.7L27.8 29.7L27.6 29.6L27.3 29.6L27.0 29.6L26.7 29.6L26.4 29.6L26.1 29.6L25.8 29.6L25.5 29.6L25.2 29.6L24.8 30.4L24.8 30.7L24.9 30.9L25.0 31.2L25.0 31.4L25.1 31.7L25.2 32.0L25.2 32.2L25.3 32.5L25.4 32.7L25.5 32.9L25.6 33.2L25.7 33.4L25.9 33.6L26.1 33.8L26.3 34.0L26.5 34.2L26.7 34.4L27.0 34.5L27.3 34.7L27.6 34.8L27.9 34.9L28.2 35.0L28.6 35.1L28.9 35.1L29.3 35.2L29.7 35.2L30.2 35.2L30.7 35.2L31.2 35.2L31.7 35.1L32.2 35.1L32.8 35.0L33.3 34.9L33.9 34.8L34.4 34.7L35.0 34.6L35.6 34.5L36.2 34.4L36.8 34.2L37.4 34.0L37.9 33.9L38.5 33.7L39.1 33.5L39.6 33.2L40.2 33.0L40.7 32.7L41.3 32.5L41.8 32.2L42.3 31.9L42.7 31.6L43.2 31.2L43.6 30.9L44.0 30.5L44.4 30.2L44.8 29.8L45.2 29.4L45.6 29.0L46.0 28.6L46.5 28.3L46.9 27.9L47.4 27.5L47.8 27.0L48.2 26.6L48.7 26.2L49.1 25.7L49.5 25.2L49.8 24.8L50.2 24.3L50.6 23.8L50.9 23.3L51.2 22.8L51.5 22.4L51.8 21.9L52.1 21.3L52.3 20.8L52.6 20.3L52.8 19.8L53.0 19.3L53.1 18.8L53.2 18.3L53.2 17.8L53.2 17.3L53.2 16.7L53.2 16.2L53.2 15.7L53.1 15.2L53.0 14.7L52.9 14.1L52.8 13.6L52.6 13.1L52.4 12.6L52.3 12.1L52.1 11.6L51.8 11.1L51.6 10.7L51.3 10.2L51.1 9.7L50.8 9.3L50.5 8.9L50.1 8.4L49.8 8.0L49.4 7.7L49.0 7.3L48.6 7.0L48.1 6.6L47.5 6.3L47.0 6.1L46.4 5.8L45.8 5.6L45.2 5.4L44.6 5.3L44.0 5.1L43.3 5.0L42.7 4.9L42.1 4.8L41.4 4.8L40.8 4.7L40.1 4.7L39.5 4.7L38.8 4.6L38.2 4.6L37.5 4.7L36.9 4.7L36.3 4.7L35.6 4.8L35.0 4.9L34.4 4.9L33.8 5.0L33.3 5.1L32.7 5.3L32.2 5.4L31.6 5.5L31.1 5.7L30.6 5.9L30.0 6.1L29.5 6.3L28.9 6.5L28.4 6.8L27.9 7.0L27.4 7.3L26.8 7.5L26.3 7.8L25.8 8.1L25.3 8.4L24.9 8.7L24.4 9.0L23.9 9.3L23.5 9.7L23.0 10.0L22.6 10.3L22.2 10.7L21.8 11.0L21.5 11.4L21.1 11.8L20.8 12.1L20.4 12.4L20.0 12.6L19.7 12.8L19.4 13.1L19.1 13.4L18.8 13.7L18.6 14.0L18.3 14.3L18.1 14.6L17.9 14.9L17.7 15.3L17.6 15.6L17.4 15.9L17.3 16.3L17.2 16.6L17.1 17.0L17.1 17.3L17.0 17.7L17.0 18.0L17.0 18.4L16.9 18.8L16.9 19.1L16.9 19.5L16.9 19.8L16.8 20.2L16.8 20.5L16.8 20.9ZM33.7 8.9L33.4 9.5L33.1 10.0L32.8 10.5L32.6 11.1L32.3 11.6L32.0 12.2L31.8 12.7L31.5 13.2L31.3 13.8L31.0 14.3L30.8 14.9L30.6 15.4L30.4 16.0L30.2 16.5L30.0 17.1L29.8 17.7L29.6 18.2L29.5 18.8L29.3 19.4L29.1 20.0L29.0 20.5L28.8 21.1L28.7 21.7L28.5 22.3L28.4 22.9L28.2 23.5L28.0 24.2L27.8 24.9L27.6 25.6L27.4 26.3L27.3 27.0L27.1 27.7L26.9 28.4L26.8 29.1L26.6 29.9L26.4 30.6L26.3 31.3L26.1 32.0L25.9 32.7L25.8 33.4L25.6 34.2L25.4 34.9L25.3 35.6L25.1 36.2L24.9 36.9L24.7 37.6L24.6 38.2L24.4 38.9L24.2 39.5L24.0 40.1L23.7 40.7L23.5 41.3L23.3 41.9L23.1 42.4L22.8 42.9L22.6 43.5L22.3 44.0L22.1 44.6L21.8 45.1L21.5 45.6L21.3 46.2L21.0 46.7L20.8 47.2L20.5 47.7L20.2 48.2L20.0 48.7L19.7 49.2L19.4 49.7L19.2 50.1L18.9 50.6L18.6 51.0L18.4 51.4L18.1 51.8L17.8 52.2L17.5 52.5L17.1 52.7L16.7 52.8L16.4 53.0L16.1 53.0L15.7 53.1L15.4 53.2L15.1 53.3L14.8 53.3L14.4 53.4L14.0 53.5L13.7 53.5L13.3 53.6L13.0 53.6L12.6 53.6L12.2 53.6L11.9 53.6L11.6 53.6L11.2 53.6L10.9 53.6L10.6 53.5L10.3 53.5L10.1 53.4L9.9 53.3L9.7 53.2L9.6 53.1L9.5 53.0L9.5 52.9L9.5 52.9L9.6 52.9L9.7 52.9L9.8 53.0L9.7 53.0L9.7 52.9L9.6 52.8L9.5 52.7L9.5 52.6L9.4 52.5L9.3 52.3L9.2 52.1L9.1 51.9L9.0 51.6L9.0 51.4L8.9 51.2L8.8 50.9L8.8 50.7L8.7 50.5L8.7 50.2L8.6 50.0L8.6 49.8L8.6 49.6L8.5 49.4L8.5 49.2L8.4 49.1L8.3 48.9L8.2 48.7L8.2 48.5L8.2 48.2L8.3 48.0L8.4 47.8L8.7 47.7L9.0 47.6L9.4 47.5L9.7 47.3L10.1 47.2L10.4 47.1L10.8 47.0L11.2 46.9L11.6 46.8L12.0 46.7L12.4 46.6L12.9 46.5L13.3 46.4L13.7 46.3L14.2 46.3L14.6 46.2L15.1 46.1L15.5 46.1L15.9 46.0L16.4 46.0L16.8 46.0L17.2 46.0L17.7 46.0L18.1 46.0L18.6 46.1L19.1 46.1L19.6 46.2L20.2 46.3L20.7 46.4L21.3 46.5L21.9 46.6L22.5 46.8L23.1 46.9L23.7 47.0L24.3 47.2L24.9 47.3L25.5 47.5L26.1 47.7L26.8 47.9L27.4 48.0L28.0 48.2L28.7 48.4L29.3 48.5L29.9 48.7L30.6 48.9L31.2 49.0L31.8 49.2L32.4 49.3L32.9 49.5L33.4 49.6L33.9 49.8L34.4 50.0L34.9 50.2L35.4 50.4L36.0 50.6L36.5 50.8L37.0 51.0L37.6 51.3L38.1 51.5L38.7 51.7L39.2 51.9L39.8 52.1L40.4 52.3L40.9 52.5L41.5 52.7L42.1 52.8L42.7 52.9L43.4 53.0L44.0 53.1L44.6 53.2L45.2 53.2L45.9 53.2L46.5 53.1L47.2 53.0L47.8 52.8L48.4 52.7L48.9 52.5L49.5 52.3L50.1 52.0L50.6 51.8L51.1 51.5L51.7 51.2L52.2 50.9L52.7 50.6L53.2 50.3L53.6 50.0L54.1 49.6L54.6 49.3L55.1 49.0L55.5 48.6L56.0 48.3L56.5 47.9L56.9 47.6L57.4 47.2L57.8 46.9L58.3 46.5L58.7 46.2L59.2 45.9L59.7 45.5L60.1 45.2L59.9 44.8L59.3 44.9L58.8 45.1L58.3 45.3L57.7 45.5L57.2 45.7L56.7 46.0L56.1 46.2L55.6 46.4L55.1 46.7L54.5 46.9L54.0 47.1L53.5 47.4L53.0 47.6L52.5 47.8L52.0 48.0L51.5 48.2L51.0 48.4L50.5 48.5L50.0 48.7L49.5 48.8L49.0 48.9L48.6 49.0L48.1 49.0L47.7 49.1L47.3 49.0L46.8 49.0L46.4 48.9L46.0 48.9L45.6 48.8L45.2 48.7L44.8 48.6L44.4 48.4L43.9 48.3L43.5 48.1L43.0 48.0L42.5 47.8L42.0 47.6L41.5 47.4L41.0 47.2L40.5 47.0L40.0 46.8L39.4 46.6L38.9 46.4L38.3 46.1L37.8 45.9L37.2 45.7L36.6 45.5L36.0 45.3L35.4 45.1L34.8 45.0L34.2 44.8L33.6 44.7L33.0 44.5L32.4 44.4L31.8 44.2L31.2 44.1L30.6 43.9L29.9 43.7L29.3 43.5L28.7 43.4L28.0 43.2L27.4 43.0L26.7 42.9L26.0 42.7L25.4 42.6L24.7 42.4L24.0 42.3L23.4 42.2L22.7 42.1L22.0 42.0L21.4 41.9L20.7 41.8L20.0 41.8L19.4 41.8L18.7 41.8L18.1 41.9L17.4 41.9L16.8 42.0L16.3 42.1L15.9 42.2L15.4 42.3L14.9 42.4L14.4 42.5L13.9 42.7L13.4 42.8L12.9 42.9L12.4 43.1L11.9 43.3L11.4 43.4L11.0 43.6L10.5 43.8L10.1 44.1L9.6 44.3L9.2 44.5L8.8 44.8L8.4 45.1L8.1 45.3L7.8 45.7L7.5 46.0L7.2 46.3L6.9 46.6L6.5 46.8L6.1 47.0L5.8 47.3L5.4 47.5L5.2 47.8L4.9 48.2L4.8 48.5L4.6 48.9L4.5 49.3L4.4 49.7L4.3 50.1L4.2 50.5L4.2 50.9L4.2 51.3L4.2 51.7L4.2 52.1L4.2 52.5L4.3 52.9L4.4 53.3L4.4 53.7L4.5 54.1L4.6 54.5L4.8 54.9L4.9 55.3L5.1 55.7L5.3 56.1L5.6 56.4L6.0 56.8L6.4 57.1L6.9 57.4L7.3 57.6L7.8 57.7L8.3 57.8L8.8 57.8L9.2 57.8L9.7 57.8L10.1 57.8L10.6 57.8L11.0 57.7L11.5 57.7L11.9 57.6L12.4 57.5L12.8 57.4L13.3 57.3L13.7 57.1L14.1 57.0L14.6 56.8L15.0 56.7L15.4 56.5L15.8 56.3L16.2 56.1L16.6 55.8L17.0 55.6L17.3 55.3L17.6 55.0L18.0 54.7L18.4 54.3L18.7 53.9L19.1 53.5L19.6 53.2L20.0 52.9L20.4 52.5L20.8 52.1L21.2 51.6L21.6 51.2L21.9 50.7L22.3 50.2L22.7 49.7L23.0 49.2L23.3 48.7L23.6 48.1L24.0 47.6L24.3 47.1L24.6 46.5L24.9 46.0L25.1 45.4L25.4 44.8L25.7 44.3L26.0 43.7L26.2 43.2L26.5 42.7L26.8 42.0L27.1 41.4L27.4 40.7L27.7 40.1L27.9 39.4L28.2 38.7L28.4 38.0L28.7 37.3L28.9 36.5L29.1 35.8L29.3 35.1L29.5 34.4L29.7 33.6L29.9 32.9L30.0 32.2L30.2 31.4L30.4 30.7L30.5 30.0L30.7 29.3L30.9 28.6L31.0 27.9L31.2 27.2L31.3 26.5L31.5 25.8L31.6 25.1L31.8 24.5L32.0 23.9L32.1 23.3L32.3 22.7L32.5 22.1L32.6 21.5L32.8 20.9L32.9 20.4L33.1 19.8L33.2 19.2L33.4 18.6L33.5 18.0L33.6 17.4L33.7 16.9L33.8 16.3L33.9 15.7L33.9 15.1L34.0 14.5L34.0 13.9L34.1 13.3L34.1 12.7L34.2 12.1L34.2 11.5L34.2 10.9L34.3 10.3L34.3 9.7L34.3 9.1Z"/></svg>';

type PolicySection = { readonly title: string; readonly paragraphs: readonly string[] };
type PolicyFacts = {
  readonly publicUrl: string;
  readonly pki: PkiSettings;
  readonly isTimestampedOutside: boolean;
  /** DER, for people to compare before they trust it. */
  readonly root: Uint8Array;
};

/** A changed promise needs another day and OIDs. */
const IN_FORCE = formatLongDay(LEGAL_VERSIONS.certificationPolicy.since).replaceAll(" ", "\u00a0");

/** Chapters are those of RFC 3647 §6, without empty ones. */
export function policySections(facts: PolicyFacts): readonly PolicySection[] {
  return [...partiesSections(facts), ...keysSections(facts), ...keepingSections(facts)];
}

function partiesSections({ publicUrl, pki, root }: PolicyFacts): readonly PolicySection[] {
  const organization = escape(pki.organization);
  return [
    {
      title: "1. Objet et identification",
      paragraphs: [
        `Autorités\u00a0: «\u00a0${organization}\u00a0» (${escape(pki.country)}), pour le service ${escape(publicUrl)}. Version\u00a01, applicable depuis le ${IN_FORCE}. Politique des certificats de signataires\u00a0: <code>${SIGNER_POLICY_OID}</code>, ou <code>${VOUCHED_POLICY_OID}</code> quand un fournisseur d’identité a ouvert la session. Politique d’horodatage\u00a0: <code>${TIMESTAMP_POLICY_OID}</code>.`,
        `Empreinte SHA-256 du certificat de la racine\u00a0: <code>${fingerprint(root)}</code>.`,
        "Les signatures faites ici sont des <strong>signatures électroniques simples</strong> au sens du règlement (UE) n°\u00a0910/2014 (eIDAS), article 3, point 10. Elles ne sont ni avancées ni qualifiées, et le service ne figure sur aucune liste de confiance. Leur effet juridique et leur recevabilité comme preuve en justice ne peuvent être refusés au seul motif qu’elles sont électroniques ou qu’elles ne sont pas qualifiées (même règlement, article\u00a025, paragraphe\u00a01).",
        "L’autorité de certification est propre à ce service. Un lecteur de PDF qui ne la connaît pas affiche «\u00a0identité non vérifiée\u00a0»\u202f; l’intégrité du document se vérifie malgré cela.",
      ],
    },
    {
      title: "2. Qui fait quoi",
      paragraphs: [
        "L’organisation qui exploite ce service tient la racine, l’autorité de signature, le répondeur OCSP, l’horodatage et le cachet. L’expéditeur désigne les signataires. Le signataire est la personne nommée dans le certificat. Toute personne qui vérifie un document signé est un tiers utilisateur.",
        "Un certificat de signataire sert à signer les documents de l’enveloppe pour laquelle il a été émis, et à rien d’autre.",
      ],
    },
    {
      title: "3. Identification du signataire",
      paragraphs: [
        "Le nom est celui qu’a donné l’expéditeur, ou celui du compte de la personne. L’identité civile n’est pas vérifiée.",
        "Le certificat porte l’adresse email de la personne si, et seulement si, quelque chose qui y a été envoyé est revenu\u00a0: le lien personnel, derrière lequel un code a été saisi, ou ce code lui-même\u202f; pour qui signe depuis un compte, le lien d’une invitation ouvert pendant sa session, ou un code. L’activation d’un compte n’y suffit pas. Sinon, il porte le nom seul.",
        "Quand la session a été ouverte chez un fournisseur d’identité (celui de l’organisation, ou ProConnect), la politique du certificat le dit, et l’historique garde ce que ce fournisseur a donné\u00a0: c’est sa parole, que le service ne vérifie pas. Elle ne vaut pas confirmation de l’adresse email.",
        "Un numéro de téléphone n’est que la parole de l’expéditeur\u00a0: un lien reçu par SMS ne donne accès à rien sans un code reçu par email. Le numéro n’est jamais porté au certificat.",
        "L’historique, la page publique, <code>preuve.json</code> et le dossier de preuve disent par quel moyen, et vers quelle adresse ou quel numéro (masqués dans ce qui est public, absents quand le document n’est pas montré), chaque lien et chaque code sont allés, et ce qui est confirmé ou ne l’est pas.",
        "Deux personnes de même nom se distinguent par leur adresse, quand elle est confirmée, et par le numéro de série de leur certificat.",
      ],
    },
  ];
}

function keysSections({ isTimestampedOutside }: PolicyFacts): readonly PolicySection[] {
  return [
    {
      title: "4. Clés et certificats à usage unique",
      paragraphs: [
        "Pour chaque acte de signature, une clé P-256 est créée en mémoire, certifiée au nom de la personne, utilisée pour les documents de cet acte, puis détruite\u00a0: elle n’est jamais écrite, ni sauvegardée, ni confiée à un tiers. Le certificat vit un jour.",
        "Les clés des autorités sont conservées chiffrées (AES-256-GCM)\u202f; celle de la racine peut être gardée hors ligne. Quand l’organisation signe par un matériel de sécurité, la clé n’en sort pas, et le certificat nomme l’organisation.",
      ],
    },
    {
      title: "5. Révocation",
      paragraphs: [
        "Est révoqué un certificat dont la clé est compromise, dont le contenu est faux, ou qu’une autre autorité remplace. Le signataire, l’expéditeur ou quiconque en a un motif sérieux le demande à l’organisation (voir 9). Parce que la clé d’un signataire est détruite aussitôt, une révocation ne peut viser que ce qui a déjà été signé\u00a0: elle ne touche pas ce qui a été signé et horodaté avant elle.",
        "Chaque autorité publie sa liste des révocations, renouvelée à la demande dès qu’elle a douze heures, et aussitôt après une révocation\u202f; elle vaut sept jours. Celle de la racine, dont la clé peut être gardée hors ligne, vaut un an. Le répondeur OCSP ne dit «\u00a0valide\u00a0» que d’un certificat réellement émis\u202f; sa réponse vaut une heure.",
      ],
    },
    {
      title: "6. Horodatage",
      paragraphs: [
        `Les jetons suivent la RFC\u00a03161, à la seconde, d’après l’horloge du serveur. L’horodatage n’est pas qualifié.${isTimestampedOutside ? " Les documents portent les jetons d’une autre autorité, choisie par l’organisation, sous la politique de celle-ci." : ""}`,
      ],
    },
  ];
}

function keepingSections({ publicUrl }: PolicyFacts): readonly PolicySection[] {
  return [
    {
      title: "7. Conservation",
      paragraphs: [
        "Les certificats et les listes de révocation sont conservés sans limite de durée, même quand une clé est remplacée, pour que les anciennes preuves restent vérifiables. Les documents et les preuves le sont dix ans après la dernière signature, à moins que l’expéditeur ne supprime l’enveloppe plus tôt.",
        "Un document que tous ont signé atteint le niveau PAdES B-LTA\u00a0: il porte les certificats, les réponses OCSP, les listes et un horodatage du tout, renouvelé avant la fin du certificat qui l’a émis. Il se vérifie sans ce service.",
      ],
    },
    {
      title: "8. Limites",
      paragraphs: [
        "Ce service dit qui a été invité, comment son adresse a été confirmée, ce qui a été signé et quand. Il ne dit ni l’identité civile, ni la capacité, ni les pouvoirs de la personne. Il n’a pas fait l’objet d’un audit de conformité aux normes ETSI.",
      ],
    },
    {
      title: "9. Contact et droit applicable",
      paragraphs: [
        `Pour demander une révocation, signaler une compromission ou interroger cette politique\u00a0: l’organisation qui exploite ${escape(publicUrl)}, aux coordonnées que donne son site principal. Indiquez le numéro de série du certificat, qui se lit dans le document signé. Ce qui est conservé des personnes est dit par la <a href="/confidentialite">politique de confidentialité</a>. Le règlement (UE) n°\u00a0910/2014 s’applique, et le droit de l’État où l’organisation est établie.`,
      ],
    },
  ];
}

function fingerprint(der: Uint8Array): string {
  return createHash("sha256")
    .update(der)
    .digest("hex")
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const POLICY_PAGE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function policyPage(facts: PolicyFacts & { readonly fontFaces: string }): string {
  const sections = policySections(facts).map(
    ({ title, paragraphs }) =>
      `<section><h2>${title}</h2>${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("")}</section>`,
  );
  const publicUrl = escape(facts.publicUrl);
  return `<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Politique de certification – Paraphe</title><style>${facts.fontFaces}${STYLE}</style></head><body>
<header><a class="brand" href="/" aria-label="Paraphe, accueil">${BRAND_MARK}<span>Paraphe</span></a><a href="/">Retour à l’accueil</a></header><main>
<h1>Politique de certification</h1>
<p>Ce que valent les certificats et les horodatages émis par le service ${publicUrl}, et ce qu’ils ne valent pas.</p>
${sections.join("\n")}
<section><h2>10. Adresses publiques</h2><ul>
<li><a href="/pki/ca.pem">Certificats des autorités (PEM)</a></li>
<li><a href="/pki/root.crt">Certificat de la racine</a></li>
<li><a href="/pki/crl.der">Liste des certificats révoqués</a> et <a href="/pki/root.crl">liste de la racine</a></li>
<li>Statut d’un certificat (OCSP)\u00a0: <code>${publicUrl}/pki/ocsp</code></li>
<li>Horodatage (RFC\u00a03161)\u00a0: <code>${publicUrl}/pki/tsa</code></li>
</ul></section>
<nav aria-label="Autres pages"><a href="/">Retour à l’accueil</a> · <a href="/conditions">Conditions d’utilisation</a> · <a href="/confidentialite">Confidentialité</a> · <a href="/journal-de-transparence">Journal de transparence</a></nav></main></body></html>`;
}

const STYLE =
  ":root{color-scheme:light dark;--ink:#151b2e;--ink-2:#434c66;--surface:#fff;--canvas:#f3f4f8;--line:#dfe3ec;--accent:#2a3f9d}" +
  "@media screen and (prefers-color-scheme:dark){:root{--ink:#eceff8;--ink-2:#b7bfd4;--surface:#161b2c;--canvas:#0e1220;--line:#283048;--accent:#a9b8ff}}" +
  'body{font:400 .875rem/1.6 "Instrument Sans",system-ui,-apple-system,"Segoe UI",sans-serif;word-spacing:.09em;margin:0;color:var(--ink);background:var(--canvas)}' +
  "header{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:60px;padding:0 clamp(1rem,3vw,2rem);background:var(--surface);border-bottom:1px solid var(--line)}" +
  "header>a,nav a{display:inline-flex;align-items:center;min-height:44px}" +
  '.brand{display:inline-flex;align-items:center;gap:8px;min-height:44px;font:500 1.375rem/1 "Spectral",Georgia,"Times New Roman",serif;color:var(--ink);text-decoration:none}.brand svg{color:var(--accent)}' +
  'main{max-width:760px;margin:0 auto;padding:2rem clamp(1rem,3vw,2rem)}h1,h2{font-family:"Spectral",Georgia,serif;font-weight:500;line-height:1.2}h1{font-size:1.75rem}h2{font-size:1.125rem}' +
  "section p,section li{color:var(--ink-2);overflow-wrap:anywhere}a{color:var(--accent)}code{overflow-wrap:anywhere}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}" +
  "@media print{header,nav{display:none}h2{break-after:avoid}body{background:#fff;color:#000}}";
