import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { SERVICE_ROLE } from "../../../apps/server/src/platform/database/service-role.ts";
import { poolerLines } from "../../../apps/server/testing/servers/own-postgres.ts";
import { type MailServer, startMailServer } from "../../support/start-mail-server.ts";
import { findFreePort, type RunningServer, startServer } from "../../support/start-server.ts";
import { type Garage, REGION, startGarage } from "./start-garage.ts";
import { startHaproxy } from "./start-haproxy.ts";
import { PASSWORD, type Patroni, startPatroni } from "./start-patroni.ts";
import { type RunningProgram, startProgram, waitUntil } from "./start-process.ts";

const DATABASE = "paraphe";
const BUCKET = "paraphe";
const POOLED = 20;
const NOBODY = 65_534;
const PGBOUNCER = join(import.meta.dirname, "../../../.cache/interop/pgbouncer/pgbouncer");

/** One process of the service, restarted under the same name and ports. */
export type Node = {
  readonly name: string;
  readonly role: "web" | "worker";
  /** `root`: the folder of another version. */
  start(root?: string): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** HTTP status of readiness; null without an answer. */
  readiness(): Promise<number | null>;
  version(): Promise<string>;
  said(): string;
};

export type Cluster = {
  readonly url: string;
  readonly mails: MailServer;
  readonly patroni: Patroni;
  readonly garage: Garage;
  readonly nodes: readonly Node[];
  /** The pooler, restarted as systemd does. */
  readonly pooler: { kill(): Promise<void>; start(): void };
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
  close(): Promise<void>;
};

/**
 * Two web and two worker processes, HAProxy, a pooler, Patroni with three PostgreSQL, three Garage
 * nodes.
 */
export async function openCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-cluster-"));
  chmodSync(folder, 0o755);
  const mails = await startMailServer();
  const [patroni, garage] = await Promise.all([startPatroni(folder), startGarage(folder, BUCKET)]);
  const ports = {
    web: await findFreePort(),
    primary: await findFreePort(),
    replica: await findFreePort(),
    store: await findFreePort(),
  };
  const poolerPort = await findFreePort();
  const settings = {
    PUBLIC_URL: `https://localhost:${ports.web}`,
    TLS: "off",
    TRUST_PROXY: "127.0.0.1",
    DATABASE_URL: `postgres://postgres:${PASSWORD}@127.0.0.1:${ports.primary}/${DATABASE}`,
    DATABASE_SERVICE_URL: `postgres://${SERVICE_ROLE}:${PASSWORD}@127.0.0.1:${poolerPort}/${DATABASE}`,
    DATABASE_READ_URL: `postgres://${SERVICE_ROLE}:${PASSWORD}@127.0.0.1:${ports.replica}/${DATABASE}`,
    STORAGE_URL: `s3://${BUCKET}/files?endpoint=http://127.0.0.1:${ports.store}&region=${REGION}&path_style=1`,
    ...garage.key,
    MASTER_KEY: randomBytes(32).toString("base64"),
    SMTP_URL: mails.url,
    RATE_LIMITS: "off",
  };
  const nodes = await Promise.all(
    ["web1", "web2", "worker1", "worker2"].map((name) => makeNode(name, { folder, settings })),
  );
  const haproxy = startHaproxy({
    folder,
    ports,
    web: nodes.filter(({ role }) => role === "web").map(({ name, port }) => ({ name, port })),
    nodes: garage.nodes,
  });
  const pooler = makePooler(folder, { port: poolerPort, primary: ports.primary });
  await makeDatabase(`postgres://postgres:${PASSWORD}@127.0.0.1:${ports.primary}`, haproxy);
  pooler.start();
  for (const node of nodes) await node.start();
  await waitUntil("each node is ready", async () =>
    (await Promise.all(nodes.map((node) => node.readiness()))).every((code) => code === 200),
  );
  return {
    url: settings.PUBLIC_URL,
    mails,
    patroni,
    garage,
    nodes,
    pooler,
    settings,
    folder,
    async close() {
      await Promise.all(nodes.map((node) => node.stop()));
      await Promise.all([
        haproxy.kill(),
        pooler.kill(),
        patroni.stop(),
        garage.stop(),
        mails.close(),
      ]);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

async function makeDatabase(url: string, haproxy: RunningProgram): Promise<void> {
  const ask = async (...statements: readonly string[]): Promise<pg.QueryResult | undefined> => {
    const client = new pg.Client({
      connectionString: `${url}/postgres`,
      connectionTimeoutMillis: 2_000,
    });
    // HAProxy cuts it when it led to no primary.
    client.on("error", () => {});
    await client.connect();
    let last: pg.QueryResult | undefined;
    for (const statement of statements) last = await client.query(statement);
    await client.end();
    return last;
  };
  // Until its first check HAProxy takes each server for the primary.
  const isPrimary = async () =>
    (await ask("select pg_is_in_recovery() as follows"))?.rows[0]?.follows === false;
  await waitUntil(
    "HAProxy has found the primary",
    async () => (await isPrimary()) && (await isPrimary()) && (await isPrimary()),
    haproxy,
  );
  await ask(
    `create role ${SERVICE_ROLE} login password '${PASSWORD}'`,
    // The pooler does not pass these settings on: docs/operations/pooler.md.
    `alter role ${SERVICE_ROLE} set statement_timeout = '6s'`,
    `alter role ${SERVICE_ROLE} set lock_timeout = '4s'`,
    `create database ${DATABASE}`,
  );
}

function makePooler(
  folder: string,
  { port, primary }: { port: number; primary: number },
): Cluster["pooler"] {
  const lines = [
    ...poolerLines({ port, server: primary, users: join(folder, "users"), connections: POOLED }),
    "server_lifetime = 600",
    // The pooler looks for a missing primary again at once, not after 15 s.
    "server_login_retry = 1",
    "server_connect_timeout = 3",
  ];
  writeFileSync(join(folder, "pgbouncer.ini"), `${lines.join("\n")}\n`, { mode: 0o644 });
  writeFileSync(join(folder, "users"), `"${SERVICE_ROLE}" "${PASSWORD}"\n`, { mode: 0o600 });
  chownSync(join(folder, "users"), NOBODY, NOBODY);
  const command = [
    "setpriv",
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    "--clear-groups",
    PGBOUNCER,
    join(folder, "pgbouncer.ini"),
  ];
  let running: RunningProgram | null = null;
  return {
    start: () => void (running = startProgram({ name: "pgbouncer", folder, command })),
    kill: async () => running?.kill(),
  };
}

type Made = Node & { readonly port: number };

async function makeNode(
  name: string,
  { folder, settings }: { folder: string; settings: Readonly<Record<string, string>> },
): Promise<Made> {
  const role = name.startsWith("web") ? "web" : "worker";
  const [port, metrics] = [await findFreePort(), await findFreePort()];
  const env = { ...settings, ROLE: role, METRICS_LISTEN: `127.0.0.1:${metrics}` };
  let server: RunningServer | null = null;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${metrics}/api/${path}`, { signal: AbortSignal.timeout(5_000) });
  return {
    name,
    role,
    port,
    async start(root) {
      server = await startServer({
        env,
        port,
        dataDir: join(folder, name),
        ...(root === undefined ? {} : { root }),
      });
    },
    stop: async () => void (await server?.stop()),
    kill: async () => server?.kill(),
    readiness: () =>
      ask("health/ready").then(
        ({ status }) => status,
        () => null,
      ),
    version: async () =>
      /paraphe_build_info\{[^}]*version="([^"]*)"/.exec(await (await ask("metrics")).text())?.[1] ??
      "",
    said: () => server?.said() ?? "",
  };
}
