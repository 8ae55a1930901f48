import { createServer, type IncomingMessage, type Server } from "node:http";
import type { FastifyInstance } from "fastify";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** Upper bounds of the duration buckets, seconds. */
const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

type Series = { count: number; sumS: number; readonly buckets: number[] };

/** What the service counts of itself, in Prometheus' text format (version 0.0.4). */
export type Metrics = {
  observe(labels: { method: string; route: string; status: number }, durationS: number): void;
  /** Adds lines that are read anew each time; where they cannot be, the others are given without them. */
  watch(lines: () => Promise<readonly string[]>): void;
  text(): Promise<string>;
};

export function createMetrics(): Metrics {
  const series = new Map<string, Series>();
  const watched: (() => Promise<readonly string[]>)[] = [];
  return {
    watch: (lines) => void watched.push(lines),
    observe(labels, durationS) {
      const key = `method="${labels.method}",route="${labels.route.replace(/["\\\n]/g, "")}",status="${labels.status}"`;
      const known = series.get(key) ?? { count: 0, sumS: 0, buckets: BUCKETS_S.map(() => 0) };
      series.set(key, known);
      known.count++;
      known.sumS += durationS;
      for (const [index, bound] of BUCKETS_S.entries()) if (durationS <= bound) known.buckets[index] = (known.buckets[index] ?? 0) + 1;
    },
    async text() {
      const read = await Promise.allSettled(watched.map((lines) => lines()));
      const more = read.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
      return [...requestLines(series), ...processLines(), ...more].join("\n").concat("\n");
    },
  };
}

function* requestLines(series: ReadonlyMap<string, Series>): Iterable<string> {
  yield "# HELP paraphe_http_request_duration_seconds Time to answer, by route.";
  yield "# TYPE paraphe_http_request_duration_seconds histogram";
  for (const [labels, one] of series) {
    for (const [index, bound] of BUCKETS_S.entries())
      yield `paraphe_http_request_duration_seconds_bucket{${labels},le="${bound}"} ${one.buckets[index]}`;
    yield `paraphe_http_request_duration_seconds_bucket{${labels},le="+Inf"} ${one.count}`;
    yield `paraphe_http_request_duration_seconds_sum{${labels}} ${one.sumS}`;
    yield `paraphe_http_request_duration_seconds_count{${labels}} ${one.count}`;
  }
}

function processLines(): readonly string[] {
  const cpu = process.cpuUsage();
  return [
    "# HELP process_cpu_seconds_total Processor time used.",
    "# TYPE process_cpu_seconds_total counter",
    `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
    "# HELP process_resident_memory_bytes Resident memory.",
    "# TYPE process_resident_memory_bytes gauge",
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    "# HELP process_uptime_seconds Time since the start.",
    "# TYPE process_uptime_seconds gauge",
    `process_uptime_seconds ${process.uptime()}`,
  ];
}

/** Counts every answer, under its route's pattern: an address holds ids. A stream of events lasts as long as a page is open: that is no time to answer. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onResponse", async (request, reply) => {
    if (String(reply.getHeader("content-type") ?? "").startsWith("text/event-stream")) return;
    metrics.observe(
      { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode },
      reply.elapsedTime / 1_000,
    );
  });
}

/** Serves `GET /api/metrics` on an address of its own, and `/api/health/…`: a worker listens nowhere else. */
export async function serveMetrics(
  { metrics, app }: { readonly metrics: Metrics; readonly app: FastifyInstance },
  listen: { host: string; port: number },
): Promise<Server> {
  const answer = async ({ method, url = "", socket }: IncomingMessage): Promise<readonly [number, string, string]> => {
    const path = url.split("?")[0]?.replace(/\/$/, "") ?? "";
    if (method === "GET" && path === "/api/metrics") return [200, METRICS_TYPE, await metrics.text()];
    if (method !== "GET" || !path.startsWith("/api/health")) return [404, METRICS_TYPE, ""];
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
