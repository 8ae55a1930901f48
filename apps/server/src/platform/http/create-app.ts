import { isUtf8 } from "node:buffer";
import { parse as parseQuery } from "node:querystring";
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import cookie from "@fastify/cookie";
import multipart from "@fastify/multipart";
import rateLimit from "@fastify/rate-limit";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import { networkOf, isLoopbackAddress } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { type OpenSpan, openSpan } from "../traces/spans.ts";
import { describeApi } from "./api-document.ts";
import type { ScopeOf } from "./api-refusals.ts";
import { BODY_ROOM, type BodyRoom, boundBodies, MEMBER_BODY_BYTES } from "./body-room.ts";
import { AnsweredAlready, honourIdempotencyKeys, sendEarlierAnswer } from "./idempotency.ts";
import {
  answerUnparsed,
  compileValidator,
  errorProblem,
  sendProblem,
  writeProblem,
} from "./problem-reply.ts";
import { isGarbled, UNREADABLE_TEXT } from "./read-multipart.ts";
import { guardRequests } from "./request-guard.ts";
import { pagePolicy, serveClient } from "./serve-client.ts";
import { countRequests, noteRefusals } from "./serve-metrics.ts";
import type { IncomingMessage, Server } from "node:http";
import { constants as http2, type Http2ServerRequest } from "node:http2";
import { BlockList, isIPv6, type Socket } from "node:net";
import { createMinuteCounter } from "../throttle/throttle.ts";
import { problem } from "@paraphe/contracts";
import { sql } from "kysely";
import * as z from "zod/mini";
import { requestPath } from "./request-facts.ts";

/**
 * Names spans by the route's pattern, as an address may have a token. Source: OpenTelemetry's HTTP
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
  // Events of a body run outside the async context.
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
  /** Gives the scope that a key needs; without it, no route is open to keys. */
  readonly scopeOf?: ScopeOf;
};

/** An office shares an address; routes have tighter limits. */
const REQUESTS_PER_MINUTE = 3_000;
/** RFC 9113 §6.5.2 recommends at least this. */
const STREAMS_PER_CONNECTION = 100;
/** Time for 50 MB over a slow line. */
const REQUEST_TIMEOUT_MS = 300_000;
/**
 * Longer than clients and proxies keep one (usually 60 s): a shorter time would cut their requests.
 */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

const UNPACKED = /^(?:identity)?$/i;
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;

class UnreadableBodyError extends Error {
  override readonly name = "UnreadableBodyError";
  readonly statusCode: 400 | 415;

  constructor(statusCode: 400 | 415) {
    super();
    this.statusCode = statusCode;
  }
}

class ForbiddenNameError extends UnreadableBodyError {
  readonly code = "FORBIDDEN_NAME";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Makes the application without features, which `compose.ts` registers. */
export function createApp(platform: Platform, options: AppOptions = {}): FastifyInstance {
  const app = createServer(platform, options.tls ?? null);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => answerError(platform, { error, request, reply }));
  app.decorateRequest("user", null);
  app.decorateRequest("alongside", null);
  traceRequests(app);
  addSecurityHeaders(app);
  noteRefusals(app, platform);
  countRequests(app, platform);
  acceptBodies(app);
  refuseGarbledQueries(app);
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
    globalDecompression: false,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  app.register(multipart, { throwFileSizeLimit: false });
  describeApi(app, {
    publicUrl: platform.settings.publicUrl,
    scopeOf: options.scopeOf ?? (() => null),
  });
  // Added after the cookies' plugin, as hooks run in order of addition.
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
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500, querystringParser },
  };
  if (tls === null) return bounded(Fastify(options) as unknown as FastifyInstance, platform);
  const https = {
    allowHTTP1: true,
    key: tls.key,
    cert: tls.cert,
    minVersion: "TLSv1.2" as const,
    // An HTTP/1.1 answer would wait 40 ms for the handshake otherwise.
    noDelay: true,
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION },
  };
  const app = Fastify({ ...options, http2: true as const, https });
  // Fastify leaves Node's 5 s on HTTP/1.1 connections.
  Object.assign(app.server, { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS });
  return bounded(app as unknown as FastifyInstance, platform);
}

function bounded(app: FastifyInstance, platform: Platform): FastifyInstance {
  boundConnections(app.server, platform);
  return app;
}

/**
 * Accepts JSON and forms; `text/plain`, which any site may send, compressed bodies and other
 * charsets get 415 (RFC 9110 §15.5.16, RFC 8259 §8.1). No body is an empty object.
 */
function acceptBodies(app: FastifyInstance): void {
  app.addHook("preParsing", async ({ headers }, _reply, payload) => {
    const [, charset = "utf-8"] =
      /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers["content-type"] ?? "") ?? [];
    if (!UNPACKED.test(headers["content-encoding"] ?? "") || !UTF_8.test(charset))
      throw new UnreadableBodyError(415);
    return payload;
  });
  app.removeContentTypeParser("text/plain");
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined);
    else if (!isUtf8(bytes as Buffer)) done(new UnreadableBodyError(400));
    else
      void parseJson(request, bytes.toString(), (error, body) =>
        done(error && isJson(bytes.toString()) ? new ForbiddenNameError(400) : error, body),
      );
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

/** `curl` sends an address as typed: its bytes, which Node reads as Latin-1. What is not UTF-8 becomes U+FFFD. */
function querystringParser(text: string) {
  return parseQuery(
    text.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
  );
}

function refuseGarbledQueries(app: FastifyInstance): void {
  app.addHook("preValidation", async (request, reply) => {
    if (request.routeOptions.schema?.querystring === undefined) return;
    const garbled = Object.entries(request.query as Record<string, string | string[]>).filter(
      ([name, value]) => isGarbled(`${name}${String(value)}`),
    );
    if (garbled.length === 0) return;
    const errors = Object.fromEntries(garbled.map(([name]) => [name, [UNREADABLE_TEXT]]));
    return sendProblem(reply, problem("validation", { errors }));
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

/** Per network: enough for an office, six per browser. */
const MOST_CONNECTIONS = 256;
/** Per network: enough for an office that uploads. */
export const MOST_BODIES = 200;
const MOST_LINES = 20;

/**
 * Limits connections of one network (HTTP/2: ENHANCE_YOUR_CALM, RFC 9113 §7). A proxy of
 * `TRUST_PROXY` bounds its own; one not named there passes for one visitor, hence the log.
 */
function boundConnections(
  server: Pick<Server, "on">,
  platform: Pick<Platform, "settings" | "log" | "clock">,
): void {
  const proxies = addressesOf(platform.settings.trustProxy);
  const noteCut = createCutLines(platform);
  const connections = createCount(MOST_CONNECTIONS);
  const bodies = createCount(MOST_BODIES);
  const networkOfVisitor = ({
    remoteAddress = "",
  }: Pick<Socket, "remoteAddress">): string | null => {
    const network = networkOf(remoteAddress);
    return isAmong(proxies, network, remoteAddress) ? null : network;
  };
  server.on("connection", (socket: Socket) => {
    const network = networkOfVisitor(socket);
    if (network === null) return;
    if (!connections.add(network)) {
      noteCut(network, "connections", MOST_CONNECTIONS);
      return socket.destroy();
    }
    return socket.once("close", () => connections.remove(network));
  });
  server.on("request", (request: IncomingMessage | Http2ServerRequest) => {
    const network = hasBody(request) ? networkOfVisitor(request.socket) : null;
    if (network === null) return;
    if (!bodies.add(network)) {
      noteCut(network, "bodies", MOST_BODIES);
      return hangUp(request);
    }
    let isCounted = true;
    const forget = () => {
      if (isCounted) bodies.remove(network);
      isCounted = false;
    };
    request.once("end", forget).once("close", forget);
  });
}

function createCutLines({ log, clock }: Pick<Platform, "log" | "clock">) {
  const ofOne = createMinuteCounter(1);
  const ofAll = createMinuteCounter(MOST_LINES);
  return (network: string, what: "connections" | "bodies", most: number): void => {
    const now = clock();
    if (!ofOne.hit(network, now).allowed || !ofAll.hit("all", now).allowed) return;
    log.warn(
      { ip: network, what, most },
      "connections cut: this network holds too many; a reverse proxy is to be named in TRUST_PROXY",
    );
  };
}

function createCount(most: number): {
  add(network: string): boolean;
  remove(network: string): void;
} {
  const held = new Map<string, number>();
  return {
    add(network) {
      const count = (held.get(network) ?? 0) + 1;
      if (count > most) return false;
      held.set(network, count);
      return true;
    },
    remove(network) {
      const left = (held.get(network) ?? 1) - 1;
      if (left === 0) held.delete(network);
      else held.set(network, left);
    },
  };
}

/** Source: RFC 9112 §6.3; RFC 9113 §8.1, END_STREAM. */
function hasBody(request: IncomingMessage | Http2ServerRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  return (
    request.headers["transfer-encoding"] !== undefined ||
    Number(request.headers["content-length"] ?? 0) > 0
  );
}

function hangUp(request: IncomingMessage | Http2ServerRequest): void {
  if (!("stream" in request)) return void request.socket.destroy();
  const { session } = request.stream;
  session?.goaway(http2.NGHTTP2_ENHANCE_YOUR_CALM);
  return session?.destroy();
}

function addressesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** A mapped address is its IPv4 in `network`. */
function isAmong(list: BlockList, network: string, address: string): boolean {
  const isMapped = isIPv6(address) && !network.includes(":");
  return isIPv6(address) && !isMapped ? list.check(address, "ipv6") : list.check(network, "ipv4");
}

const READY_MS = 2_000;
const FRESH_MS = 1_000;

const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

type Part = "database" | "store" | "sandbox" | "jobs";

/**
 * `GET /api/health/live` answers 200 while the process does. `GET /api/health/ready` and
 * `/api/health/` answer 200, or 503 within two seconds; a local caller without a proxy reads why
 * (contract §1 and §7).
 */
function checkHealth(app: FastifyInstance, platform: Platform): void {
  /** Read once a second, as the check writes to the disk. */
  let asked: { readonly at: number; readonly missing: Promise<readonly Part[]> } | null = null;
  const missingNow = () => {
    if (asked === null || performance.now() - asked.at > FRESH_MS)
      asked = { at: performance.now(), missing: missingParts(platform) };
    return asked.missing;
  };
  const schema = { response: { 200: z.strictObject({ status: z.literal("ok") }) } };
  app.get("/api/health/live", { schema }, async () => ({ status: "ok" as const }));
  for (const path of ["/api/health/", "/api/health/ready"])
    app.get(path, { schema }, async (request, reply) => {
      const missing = await missingNow();
      if (missing.length === 0) return { status: "ok" };
      const extensions = isLoopbackAddress(request.ip) && !cameByProxy(request) ? { missing } : {};
      return sendProblem(reply, problem("service_unavailable", { extensions }));
    });
}

/** Even without `TRUST_PROXY`, the caller behind a proxy may be anywhere. */
function cameByProxy({ headers }: FastifyRequest): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

async function missingParts(platform: Platform): Promise<readonly Part[]> {
  const checks: Readonly<Record<Part, () => Promise<unknown>>> = {
    database: () => assertWritable(platform),
    store: () => platform.files.check(),
    sandbox: () => platform.sandbox.check(),
    jobs: () => platform.queue.check(),
  };
  const missing = await Promise.all(
    Object.entries(checks).map(async ([part, check]) => {
      try {
        await Promise.race([check(), late()]);
        return null;
      } catch (error) {
        platform.log.error({ error, part }, "the service is not ready");
        return part as Part;
      }
    }),
  );
  return missing.filter((part) => part !== null);
}

async function assertWritable({ db }: Platform): Promise<void> {
  const { rows } = await sql<{
    read_only: string;
  }>`select current_setting('transaction_read_only') as read_only`.execute(db);
  if (rows[0]?.read_only !== "off") throw new Error("The database takes no writes");
}

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`No answer within ${READY_MS} ms`)), READY_MS).unref();
  });
}

/** With a token or a signature, never a referrer. */
const SECRET_ADDRESSES =
  /^\/(sign|auth|signature\/guest|verify|reset-password|api\/signature\/activate)(\/|$)/;

/** A route's own header wins. Source: OWASP ASVS 5.0 §3.4. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    setSecurityHeaders(
      reply,
      SECRET_ADDRESSES.test(requestPath(request)) ? "no-referrer" : "strict-origin",
    );
  });
  app.addHook("onSend", async (request, reply, payload) => {
    const type = String(reply.getHeader("content-type") ?? "");
    const policy = type.startsWith("text/html")
      ? pagePolicy()
      : "default-src 'none'; frame-ancestors 'none'";
    if (!reply.hasHeader("content-security-policy") && !type.startsWith("application/pdf"))
      reply.header("content-security-policy", policy);
    if (type.startsWith("application/pdf") && !reply.hasHeader("content-security-policy"))
      reply.header("content-security-policy", "frame-ancestors 'self'");
    if (requestPath(request).startsWith("/api/") && !reply.hasHeader("cache-control"))
      reply.header("cache-control", "private, no-store");
    return payload;
  });
}

/** Answers before any hook and leaves out the address: it may have a token. */
function answerUnreadableAddress(reply: FastifyReply): FastifyReply {
  setSecurityHeaders(reply, "no-referrer");
  reply.headers({
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "private, no-store",
  });
  return sendProblem(reply, problem("malformed_request"));
}

function setSecurityHeaders(
  reply: FastifyReply,
  referrerPolicy: "no-referrer" | "strict-origin",
): void {
  reply.headers({
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "referrer-policy": referrerPolicy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-request-id": reply.request.id,
  });
}
