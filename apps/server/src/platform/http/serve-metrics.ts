import { createServer, type IncomingMessage, type Server } from "node:http";
import { type ProblemCode, PROBLEMS } from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../addresses.ts";
import { type Metrics, type Reading, refusals, requestSeconds } from "../metrics/metrics.ts";
import type { Platform } from "../platform.ts";
import { createMinuteCounter } from "../throttle/throttle.ts";
import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { selectLastBackup } from "../backup/backups.ts";
import { poolUse } from "../database/database.ts";
import program from "../../../package.json" with { type: "json" };

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

export async function readPlatform(
  platform: Pick<Platform, "db" | "settings">,
): Promise<readonly Reading[]> {
  return [
    readVersion(),
    readPool(platform),
    ...(await readDisks(platform)),
    ...(await readQueue(platform)),
    await readBackup(platform),
  ];
}

function readVersion(): Reading {
  return {
    name: "paraphe_build_info",
    help: "1, for the version that runs.",
    values: [{ labels: { version: program.version }, value: 1 }],
  };
}

async function readBackup({ db }: Pick<Platform, "db">): Promise<Reading> {
  const last = await selectLastBackup(db);
  return {
    name: "paraphe_last_backup_timestamp_seconds",
    help: "When the last backup that is whole ended; 0 while there is none.",
    values: [{ labels: {}, value: last === null ? 0 : last.endedAt.getTime() / 1_000 }],
  };
}

function readPool({ db }: Pick<Platform, "db">): Reading {
  const values = Object.entries(poolUse(db)).map(([state, value]) => ({
    labels: { state },
    value,
  }));
  return {
    name: "paraphe_database_connections",
    help: "Connections of this process, idle and busy, and the work that waits for one.",
    values,
  };
}

async function readDisks({ settings }: Pick<Platform, "settings">): Promise<readonly Reading[]> {
  const folders = {
    data: settings.dataDir,
    ...(settings.storage.kind === "folder" ? { store: settings.storage.folder } : {}),
  };
  const read = await Promise.all(
    Object.entries(folders).map(async ([place, folder]) => ({
      labels: { place },
      use: await statfs(folder),
    })),
  );
  const of = (blocks: "bavail" | "blocks") =>
    read.map(({ labels, use }) => ({ labels, value: use[blocks] * use.bsize }));
  return [
    { name: "paraphe_disk_free_bytes", help: "Room left for the service.", values: of("bavail") },
    { name: "paraphe_disk_size_bytes", help: "Size of the disk.", values: of("blocks") },
  ];
}

type JobRow = {
  readonly job: string;
  readonly waiting: number;
  readonly running: number;
  readonly oldest_s: number;
};

/** Source: pg-boss, table `job`: states before `active` wait. */
async function readQueue({ db }: Pick<Platform, "db">): Promise<readonly Reading[]> {
  const { rows } = await sql<JobRow>`
    select name as job,
      count(*) filter (where state < 'active' and start_after <= now())::int as waiting,
      count(*) filter (where state = 'active')::int as running,
      coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after <= now())), 0)::float8 as oldest_s
    from jobs.job where state <= 'active' and name not like '\\_\\_pgboss%' group by name`.execute(
    db,
  );
  return [
    {
      name: "paraphe_jobs",
      help: "Jobs that are due, waiting or running.",
      values: rows.flatMap(({ job, waiting, running }) => [
        { labels: { job, state: "waiting" }, value: waiting },
        { labels: { job, state: "running" }, value: running },
      ]),
    },
    {
      name: "paraphe_job_oldest_seconds",
      help: "How long the oldest job that waits has been due.",
      values: rows.map(({ job, oldest_s }) => ({ labels: { job }, value: oldest_s })),
    },
  ];
}
