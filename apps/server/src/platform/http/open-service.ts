import type { ServerHttp2Session } from "node:http2";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { problem } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.ts";
import { refuse } from "../settings/read-variable.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { sendProblem } from "./problem-reply.ts";
import { serveMetrics } from "./serve-metrics.ts";

/** A stop has 10 s; jobs get what requests leave (contract §1). */
const REQUESTS_MS = 5_000;
/** Proxies poll readiness each second or two, and send until then. */
const NOTICED_MS = 2_000;
const READINESS: ReadonlySet<string> = new Set(["/api/health/", "/api/health/ready"]);

export type Service = {
  start(): Promise<void>;
  /** Reports not ready, waits for proxies, takes no more requests and lets those running end. */
  stop(): Promise<void>;
};

export type ServiceParts = {
  readonly platform: Platform;
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  readonly warm: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export function openService(parts: ServiceParts): Service {
  const { platform, app } = parts;
  const { role, host, port, metricsListen, trustProxy } = platform.settings;
  const sessions = trackSessions(app);
  let metricsServer: Server | null = null;
  let stopping = false;
  // Idle HTTP/1.1 connections delay the stop (not HTTP/2, RFC 9113 §8.2.2).
  app.addHook("onSend", async (request, reply, payload) => {
    if (stopping && request.raw.httpVersionMajor === 1) reply.header("connection", "close");
    return payload;
  });
  app.addHook("onRequest", async (request, reply) => {
    if (stopping && READINESS.has(request.routeOptions.url ?? ""))
      return sendProblem(reply, problem("service_unavailable"));
  });
  return {
    async start() {
      await platform.queue.start(role === "web" ? "enqueue" : "work");
      if (metricsListen)
        metricsServer = await serveMetrics(parts, metricsListen).catch(refuseMetricsAddress);
      if (role === "worker") await app.ready();
      else await app.listen({ host, port }).catch(refuseAddress("HOST", "127.0.0.1"));
      parts
        .warm()
        .catch((error: unknown) =>
          platform.log.error({ error }, "the PDF sandbox could not be started ahead"),
        );
    },
    async stop() {
      stopping = true;
      const noticedMs = role !== "worker" && trustProxy.length > 0 ? NOTICED_MS : 0;
      await sleep(noticedMs);
      metricsServer?.close();
      for (const session of sessions) session.close();
      await Promise.race([app.close(), sleep(REQUESTS_MS - noticedMs, undefined, { ref: false })]);
      for (const session of sessions) session.destroy();
      await platform.queue.stop();
      await parts.close();
    },
  };
}

/** The host is unknown or another machine's: getaddrinfo(3), bind(2). */
const NO_ADDRESS_HERE = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EADDRNOTAVAIL",
  "EINVAL",
  "EAFNOSUPPORT",
]);

function refuseAddress(variable: string, example: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (NO_ADDRESS_HERE.has(code))
      refuse(variable, "n’est pas une adresse de cette machine", example);
    throw error;
  };
}

/** A taken port has the sentence of `PORT`. */
function refuseMetricsAddress(error: unknown): never {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE" && "port" in error)
    refuse("METRICS_LISTEN", "désigne un port déjà pris", `127.0.0.1:${Number(error.port) + 1}`);
  return refuseAddress("METRICS_LISTEN", "127.0.0.1:9464")(error);
}

/** The stop must end HTTP/2 sessions itself. */
function trackSessions(app: FastifyInstance): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  app.server.on("session", (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  return sessions;
}
