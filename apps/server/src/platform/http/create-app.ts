import { constants } from "node:zlib";
import compress from "@fastify/compress";
import cookie from "@fastify/cookie";
import multipart from "@fastify/multipart";
import rateLimit from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import {
  createJsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
} from "fastify-type-provider-zod";
import { networkOf } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { type OpenSpan, openSpan } from "../traces/spans.ts";
import { BODY_ROOM, type BodyRoom, boundBodies, MEMBER_BODY_BYTES } from "./body-room.ts";
import { boundConnections } from "./bound-connections.ts";
import { checkHealth } from "./check-health.ts";
import { answerUnparsed, errorProblem } from "./error-problem.ts";
import { AnsweredAlready, honourIdempotencyKeys, sendEarlierAnswer } from "./idempotency.ts";
import { sendProblem, writeProblem } from "./problem-reply.ts";
import { guardRequests } from "./request-guard.ts";
import { addSecurityHeaders, answerUnreadableAddress } from "./security-headers.ts";
import { serveClient } from "./serve-client.ts";
import { countRequests, noteRefusals } from "./serve-metrics.ts";

/** Made from the schemas that validate. Source: OpenAPI 3.1. */
function describeApi(app: FastifyInstance, publicUrl: string): void {
  const transform = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: "any" } });
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Paraphe",
        version: "1",
        description: "Signature électronique : enveloppes, signataires, preuves.",
      },
      servers: [{ url: publicUrl }],
    },
    transform: (document) =>
      document.url.startsWith("/api/")
        ? transform(document)
        : { schema: { ...document.schema, hide: true } as never, url: document.url },
  });
  app.register(async (scope) => {
    scope.get("/api/openapi.json", { schema: { hide: true } as never }, async () => app.swagger());
  });
}

/**
 * Spans bear the route's pattern: an address may contain a token. Source: OpenTelemetry's HTTP
 * conventions.
 */
function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { method, headers } = request;
    const traceparent = typeof headers.traceparent === "string" ? headers.traceparent : undefined;
    const span = openSpan(
      { name: method, kind: "server", attributes: { "http.request.method": method } },
      traceparent,
    );
    if (span === null) return done();
    spans.set(request, span);
    span.within(done);
  });
  // Body events run outside the request's async context.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "";
    spans.get(request)?.end({
      name: `${request.method} ${route}`.trim(),
      attributes: { "http.route": route, "http.response.status_code": reply.statusCode },
      hasFailed: reply.statusCode >= 500,
    });
  });
}

export type TlsMaterial = { readonly key: string; readonly cert: string };
export type AppOptions = {
  readonly tls?: TlsMaterial | null;
  readonly clientFolder?: string;
  readonly bodyRoom?: BodyRoom;
};

/** An office shares one address; routes set tighter limits. */
const REQUESTS_PER_MINUTE = 3_000;
/** RFC 9113 §6.5.2 recommends at least this. */
const STREAMS_PER_CONNECTION = 100;
/** A 50 MB upload over a slow line. */
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than clients and proxies (usually 60 s): closing first would cut a request on its way. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

const UNPACKED = /^(?:identity)?$/i;
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;

class UnreadableBodyError extends Error {
  override readonly name = "UnreadableBodyError";
  readonly statusCode = 415;
}

/** The HTTP edge without features: `compose.ts` registers their routes. */
export function createApp(platform: Platform, options: AppOptions = {}): FastifyInstance {
  const app = createServer(platform, options.tls ?? null);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => answerError(platform, { error, request, reply }));
  app.decorateRequest("user", null);
  traceRequests(app);
  addSecurityHeaders(app);
  noteRefusals(app, platform);
  countRequests(app, platform);
  acceptBodies(app);
  boundBodies(app, options.bodyRoom ?? BODY_ROOM);
  app.register(cookie);
  if (platform.settings.rateLimits === "on")
    app.register(rateLimit, {
      max: REQUESTS_PER_MINUTE,
      timeWindow: "1 minute",
      keyGenerator: (request) => networkOf(request.ip),
    });
  app.register(compress, {
    encodings: ["br", "gzip"],
    threshold: 1_024,
    // Decompressed bodies would outgrow the counted bytes.
    globalDecompression: false,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  app.register(multipart, { throwFileSizeLimit: false });
  describeApi(app, platform.settings.publicUrl);
  // After the cookies' plugin: hooks run in order of addition.
  app.after(() => {
    guardRequests(app, platform);
    honourIdempotencyKeys(app, platform);
    checkHealth(app, platform);
    serveClient(app, options.clientFolder);
  });
  return app;
}

function createServer(platform: Platform, tls: TlsMaterial | null): FastifyInstance {
  const { trustProxy } = platform.settings;
  const options = {
    logger: false as const,
    genReqId: () => platform.newId(),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: MEMBER_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: true,
    clientErrorHandler: answerUnparsed(platform),
    forceCloseConnections: "idle" as const,
    onProtoPoisoning: "error" as const,
    frameworkErrors: (_error: Error, _request: unknown, reply: unknown) => {
      answerUnreadableAddress(reply as FastifyReply);
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
  };
  if (tls === null) return bounded(Fastify(options) as unknown as FastifyInstance, platform);
  const https = {
    allowHTTP1: true,
    key: tls.key,
    cert: tls.cert,
    minVersion: "TLSv1.2" as const,
    // As in plain HTTP: without it an HTTP/1.1 answer waits 40 ms for the handshake's
    // acknowledgement.
    noDelay: true,
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION },
  };
  const app = Fastify({ ...options, http2: true as const, https });
  // Fastify leaves Node's 5 s on the HTTP/1.1 connections of an HTTP/2 server.
  Object.assign(app.server, { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS });
  return bounded(app as unknown as FastifyInstance, platform);
}

function bounded(app: FastifyInstance, platform: Platform): FastifyInstance {
  boundConnections(app.server, platform);
  return app;
}

/**
 * Accepts JSON and forms: `text/plain`, which any site may send, compressed bodies and other
 * charsets get 415 (RFC 9110 §15.5.16, RFC 8259 §8.1). No body counts as an empty object.
 */
function acceptBodies(app: FastifyInstance): void {
  app.addHook("preParsing", async ({ headers }, _reply, payload) => {
    const [, charset = "utf-8"] =
      /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers["content-type"] ?? "") ?? [];
    if (!UNPACKED.test(headers["content-encoding"] ?? "") || !UTF_8.test(charset))
      throw new UnreadableBodyError();
    return payload;
  });
  app.removeContentTypeParser("text/plain");
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text, done) => {
    if (text === "") done(null, undefined);
    else void parseJson(request, text as string, done);
  });
  app.addHook("preValidation", async (request) => {
    if (
      request.body === undefined &&
      request.method !== "GET" &&
      request.method !== "HEAD" &&
      !request.isMultipart()
    )
      request.body = {};
  });
}

function answerError(
  platform: Platform,
  failed: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const { error, request, reply } = failed;
  if (error instanceof AnsweredAlready) return sendEarlierAnswer(reply, error);
  const { problem, unexpected } = errorProblem(error);
  if (!unexpected) return sendProblem(reply, problem);
  platform.log.error(
    {
      error,
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
    },
    "a request failed",
  );
  return writeProblem(reply, problem);
}
