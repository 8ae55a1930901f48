import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import {
  type Launcher,
  findLauncher,
  giveFolder,
  postgresEnvironment,
} from "../../src/platform/database/embedded/launcher.ts";

const run = promisify(execFile);
/** The oldest supported version, as in Debian 12. */
const BINARIES = "/usr/lib/postgresql/15/bin";
const PASSWORD = "motdepasse";
const START_MS = 30_000;

export type OwnPostgres = {
  readonly port: number;
  readonly folder: string;
  /** By TCP, as the administrator. */
  urlOf(database: string): string;
  /** Signals the server and each of its processes. */
  signal(signal: NodeJS.Signals): void;
  /** Starts a replica of this server. */
  follow(): Promise<OwnPostgres>;
  stop(): Promise<void>;
};

type Configuration = Readonly<Record<string, string>>;

/** Why these tests cannot run, or null. An error under CI. */
export function ownPostgresMissing(): string | null {
  if (existsSync(join(BINARIES, "postgres"))) return null;
  if (process.env.CI)
    throw new Error(`${BINARIES} is missing (Debian package postgresql-15), and CI is set`);
  return `${BINARIES} is missing (Debian package postgresql-15)`;
}

/** PostgreSQL 15 in its own folder, without durability, by TCP. */
export async function startOwnPostgres(configuration: Configuration = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-pg15-"));
  const launcher = await findLauncher(BINARIES, folder);
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, PASSWORD);
  await mkdir(join(folder, "db"), { mode: 0o700 });
  await giveFolder(launcher, folder);
  const words = [
    "-D",
    join(folder, "db"),
    "-U",
    "paraphe",
    "--auth",
    "scram-sha-256",
    "--pwfile",
    passwordFile,
    "-E",
    "UTF8",
    "--locale",
    "C.UTF-8",
  ];
  await runAs(launcher, [join(BINARIES, "initdb"), "--no-sync", ...words]);
  return startServer({ folder, launcher, configuration });
}

type Server = {
  readonly folder: string;
  readonly launcher: Launcher;
  readonly configuration: Configuration;
};

async function startServer({ folder, launcher, configuration }: Server): Promise<OwnPostgres> {
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    fsync: "off",
    max_connections: "200",
    shared_buffers: "64MB",
    jit: "off",
    ...configuration,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawnAs(launcher, [
    join(BINARIES, "postgres"),
    "-D",
    join(folder, "db"),
    ...options,
  ]);
  const urlOf = (database: string) =>
    `postgres://paraphe:${PASSWORD}@127.0.0.1:${port}/${database}`;
  await waitFor(child, () => answers(urlOf("postgres")));
  return {
    port,
    folder,
    urlOf,
    signal(signal) {
      for (const pid of [child.pid ?? 0, ...childrenOf(child.pid ?? 0)]) send(pid, signal);
    },
    follow: () => follow({ primaryUrl: urlOf("postgres"), launcher, configuration }),
    async stop() {
      await endOf(child, "SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Followed = {
  readonly primaryUrl: string;
  readonly launcher: Launcher;
  readonly configuration: Configuration;
};

async function follow({ primaryUrl, launcher, configuration }: Followed): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-pg15-"));
  await giveFolder(launcher, folder);
  const words = [
    "-D",
    join(folder, "db"),
    "-d",
    primaryUrl,
    "-R",
    "-X",
    "stream",
    "--checkpoint=fast",
    "--no-sync",
  ];
  await runAs(launcher, [join(BINARIES, "pg_basebackup"), ...words]);
  return startServer({ folder, launcher, configuration });
}

export type Pooler = {
  urlOf(user: string, database: string): string;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
};

const PGBOUNCER = join(import.meta.dirname, "../../../../.cache/interop/pgbouncer/pgbouncer");

type PoolerPlace = {
  readonly port: number;
  readonly server: number;
  readonly users: string;
  readonly connections: number;
};

/** PgBouncer in transaction mode, as in `docs/operations/pooler.md`. */
export const poolerLines = ({ port, server, users, connections }: PoolerPlace): string[] => [
  "[databases]",
  `* = host=127.0.0.1 port=${server}`,
  "[pgbouncer]",
  "listen_addr = 127.0.0.1",
  `listen_port = ${port}`,
  "unix_socket_dir =",
  "auth_type = scram-sha-256",
  `auth_file = ${users}`,
  "pool_mode = transaction",
  `default_pool_size = ${connections}`,
  "max_prepared_statements = 500",
  "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
];

export async function startPooler(
  server: OwnPostgres,
  { users, connections }: { users: readonly string[]; connections: number },
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-pooler-"));
  const launcher = await findLauncher(BINARIES, folder);
  const port = await freePort();
  const lines = poolerLines({
    port,
    server: server.port,
    users: join(folder, "users"),
    connections,
  });
  await writeFile(join(folder, "pgbouncer.ini"), `${lines.join("\n")}\n`);
  await writeFile(join(folder, "users"), users.map((user) => `"${user}" "${PASSWORD}"\n`).join(""));
  await giveFolder(launcher, folder);
  const child = spawnAs(launcher, [PGBOUNCER, "-q", join(folder, "pgbouncer.ini")]);
  const urlOf = (user: string, database: string) =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  await waitFor(child, () => answers(urlOf(users[0] ?? "", "postgres")));
  return {
    urlOf,
    signal: (signal) => void child.kill(signal),
    async stop() {
      await endOf(child, "SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function commandOf({ prefix }: Launcher, words: readonly string[]): [string, string[]] {
  const [command = "", ...rest] = [...prefix, ...words];
  return [command, rest];
}

async function runAs(launcher: Launcher, words: readonly string[]): Promise<void> {
  const [command, rest] = commandOf(launcher, words);
  await run(command, rest, { env: postgresEnvironment(), cwd: "/" });
}

function spawnAs(launcher: Launcher, words: readonly string[]): ChildProcess {
  const [command, rest] = commandOf(launcher, words);
  const child = spawn(command, rest, {
    env: postgresEnvironment(),
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void said.push(text));
  child.once(
    "exit",
    (code) => code !== 0 && process.env.TEST_POSTGRES_LOG && process.stderr.write(said.join("")),
  );
  // A killed test process leaves no server behind.
  process.once("exit", () => child.kill("SIGKILL"));
  return child;
}

async function waitFor(child: ChildProcess, isThere: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + START_MS; !(await isThere()); await sleep(50))
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${child.spawnargs.join(" ")} did not start`);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** The process may just have ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Source: proc_tid_children(5). */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
