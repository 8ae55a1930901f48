import { createServer, type IncomingMessage, type Server } from "node:http";
import { type ProblemCode, PROBLEMS } from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../addresses.ts";
import { type Metrics, refusals, requestSeconds } from "../metrics/metrics.ts";
import type { Platform } from "../platform.ts";
import { createMinuteCounter } from "../throttle/throttle.ts";

/** Lines a minute, 400 MB a day at most: refusals cannot fill the disk. */
const LINES = { ofOneNetwork: 60, ofAll: 1_200 };

declare module "fastify" {
  interface FastifyInstance {
    noteRefusal?: (request: FastifyRequest, reason: ProblemCode) => void;
  }
}

/**
 * Logs by route pattern, as an address may have a token (security line 62; OWASP ASVS 5.0 §16.3).
 * Beyond the bound, counts by reason.
 */
export function noteRefusals(
  app: FastifyInstance,
  { log, clock }: Pick<Platform, "log" | "clock">,
): void {
  const ofOneNetwork = createMinuteCounter(LINES.ofOneNetwork);
  const ofAll = createMinuteCounter(LINES.ofAll);
  let leftOut: { readonly minute: number; readonly reasons: Map<string, number> } = {
    minute: 0,
    reasons: new Map(),
  };
  const logLeftOut = (minute: number) => {
    if (minute === leftOut.minute) return;
    if (leftOut.reasons.size > 0)
      log.warn(
        { reasons: Object.fromEntries(leftOut.reasons) },
        "refusals without a line of their own",
      );
    leftOut = { minute, reasons: new Map() };
  };
  app.decorate("noteRefusal", (request: FastifyRequest, reason: ProblemCode) => {
    refusals.inc({ reason });
    const now = clock();
    logLeftOut(Math.floor(now.getTime() / 60_000));
    if (!ofOneNetwork.hit(networkOf(request.ip), now).allowed || !ofAll.hit("all", now).allowed) {
      leftOut.reasons.set(reason, (leftOut.reasons.get(reason) ?? 0) + 1);
      return;
    }
    const { method, routeOptions, id, ip } = request;
    log.info(
      {
        reason,
        status: PROBLEMS[reason].status,
        method,
        route: routeOptions.url ?? null,
        request_id: id,
        ip,
      },
      "refused",
    );
  });
  app.addHook("onClose", async () => logLeftOut(-1));
}

/** `ACCESS_LOG` also logs each, by route pattern. Event streams have no response time. */
export function countRequests(
  app: FastifyInstance,
  { settings, log }: Pick<Platform, "settings" | "log">,
): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, id, ip, routeOptions } = request;
    const answer = { method, route: routeOptions.url ?? "none", status: reply.statusCode };
    const ms = Math.round(reply.elapsedTime);
    if (settings.accessLog) log.info({ ...answer, ms, request_id: id, ip }, "answered");
    if (String(reply.getHeader("content-type") ?? "").startsWith("text/event-stream")) return;
    requestSeconds.observe(answer, reply.elapsedTime / 1_000);
  });
}

/** Metrics have their own address, a worker's only one. */
export async function serveMetrics(
  { metrics, app }: { readonly metrics: Metrics; readonly app: FastifyInstance },
  listen: { host: string; port: number },
): Promise<Server> {
  const answer = async ({
    method,
    url = "",
    socket,
  }: IncomingMessage): Promise<readonly [number, string, string]> => {
    const path = url.split("?")[0]?.replace(/\/$/, "") ?? "";
    if (method === "GET" && path === "/api/metrics")
      return [200, metrics.contentType, await metrics.text()];
    if (method !== "GET" || !path.startsWith("/api/health")) return [404, "text/plain", ""];
    const health = await app.inject({ url: path, remoteAddress: socket.remoteAddress ?? "" });
    return [health.statusCode, String(health.headers["content-type"]), health.body];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, type, body]) => response.writeHead(status, { "content-type": type }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return server;
}
