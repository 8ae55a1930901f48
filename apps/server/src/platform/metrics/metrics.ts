import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from "prom-client";
import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { selectLastBackup } from "../backup/backups.ts";
import { poolUse } from "../database/database.ts";
import type { Platform } from "../platform.ts";

export type Reading = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
};

export type Metrics = {
  readonly contentType: string;
  /** A failing reader leaves out only its figures. */
  watch(read: () => Promise<readonly Reading[]>): void;
  text(): Promise<string>;
};

export function createMetrics(): Metrics {
  const watched: (() => Promise<readonly Reading[]>)[] = [];
  return {
    contentType: register.contentType,
    watch: (read) => void watched.push(read),
    async text() {
      // The event loop's delay costs a timer.
      if (register.getSingleMetric("process_cpu_seconds_total") === undefined)
        collectDefaultMetrics();
      const read = await Promise.allSettled(watched.map((one) => one()));
      const own = new Registry();
      for (const reading of read.flatMap((outcome) =>
        outcome.status === "fulfilled" ? outcome.value : [],
      ))
        addTo(own, reading);
      return Registry.merge([register, own]).metrics();
    },
  };
}

function addTo(registry: Registry, { name, help, values }: Reading): void {
  // A gauge would read 0 before its first value.
  const labelNames =
    values.length === 0
      ? ["none"]
      : [...new Set(values.flatMap(({ labels = {} }) => Object.keys(labels)))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const { labels = {}, value } of values) gauge.set(labels, value);
}

/** Prometheus' names (docs/operations/watching.md); labels are patterns and codes, never ids. */

export const requestSeconds = new Histogram({
  name: "paraphe_http_request_duration_seconds",
  help: "Time to answer, by route.",
  labelNames: ["method", "route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const refusals = new Counter({
  name: "paraphe_refusals_total",
  help: "Calls that were refused, by the problem's code.",
  labelNames: ["reason"],
});

export const jobs = new Counter({
  name: "paraphe_jobs_total",
  help: "Jobs that were run, by how they ended: completed or failed.",
  labelNames: ["job", "outcome"],
});

export const sandboxStarts = new Counter({
  name: "paraphe_sandbox_starts_total",
  help: "Processes started to read PDFs and pictures.",
});

export const sandboxWaitSeconds = new Histogram({
  name: "paraphe_sandbox_wait_seconds",
  help: "Time that a task waited for a process which reads PDFs.",
  buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10],
});

export const timestampSeconds = new Histogram({
  name: "paraphe_timestamp_duration_seconds",
  help: "Time that an external time-stamping authority took to answer.",
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

import program from "../../../package.json" with { type: "json" };

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
