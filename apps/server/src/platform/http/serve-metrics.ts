import { createServer, type IncomingMessage, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { requestSeconds } from "../metrics/counts.ts";
import type { Platform } from "../platform.ts";
import type { Metrics } from "../metrics/metrics.ts";

/**
 * Counts every answer, and gives it its line where `ACCESS_LOG` asks for them: under its route's pattern, for an address holds ids and tokens.
 * A stream of events lasts as long as a page is open: that is no time to answer.
 */
export function countRequests(app: FastifyInstance, { settings, log }: Pick<Platform, "settings" | "log">): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, id, ip, routeOptions } = request;
    const answer = { method, route: routeOptions.url ?? "none", status: reply.statusCode };
    const ms = Math.round(reply.elapsedTime);
    if (settings.accessLog) log.info({ ...answer, ms, request_id: id, ip }, "answered");
    if (String(reply.getHeader("content-type") ?? "").startsWith("text/event-stream")) return;
    requestSeconds.observe(answer, reply.elapsedTime / 1_000);
  });
}

/** Serves `GET /api/metrics` on an address of its own, and `/api/health/…`: a worker listens nowhere else. */
export async function serveMetrics(
  { metrics, app }: { readonly metrics: Metrics; readonly app: FastifyInstance },
  listen: { host: string; port: number },
): Promise<Server> {
  const answer = async ({ method, url = "", socket }: IncomingMessage): Promise<readonly [number, string, string]> => {
    const path = url.split("?")[0]?.replace(/\/$/, "") ?? "";
    if (method === "GET" && path === "/api/metrics") return [200, metrics.contentType, await metrics.text()];
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
