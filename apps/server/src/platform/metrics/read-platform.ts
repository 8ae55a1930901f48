import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import program from "../../../package.json" with { type: "json" };
import { selectLastBackup } from "../backup/backups.ts";
import { poolUse } from "../database/database.ts";
import type { Platform } from "../platform.ts";
import type { Reading } from "./metrics.ts";

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
