import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import {
  type FileHandle,
  constants,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { sqlState } from "../../error-code.ts";
import { SettingsError } from "../../settings/settings.ts";
import {
  type Launcher,
  findLauncher,
  findPostgresBinaries,
  giveFolder,
  makeSocketFolder,
  postgresEnvironment,
} from "./launcher.ts";

const run = promisify(execFile);
const MEMBER_NAME = "paraphe-member";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 8_000;
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

export type EmbeddedPostgres = {
  readonly url: string;
  urlOf(databaseName: string): string;
  /** Also waits for the stop when this is the last process. */
  leave(): Promise<void>;
};

type EmbeddedPostgresOptions = {
  readonly dataDir: string;
  readonly configuration?: Readonly<Record<string, string>>;
  readonly archiveDir?: string | null;
  readonly onTrouble?: (error: unknown) => void;
};

type Place = {
  readonly dataDir: string;
  readonly cluster: string;
  readonly socketFolder: string;
  readonly binaries: string;
  readonly launcher: Launcher;
  readonly password: string;
  readonly configuration: Readonly<Record<string, string>>;
};

/**
 * Joins the server of any number of processes and starts it if needed. Each process keeps the pipe
 * `members` open; the keeper reads its end when the last one is gone. A dead server is started
 * again.
 */
export async function joinEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const place = await findPlace(options);
  const membership = await openMembership(place);
  try {
    const watch = await watchServer(place, options.onTrouble ?? (() => {}));
    return {
      url: urlOf(place, "paraphe"),
      urlOf: (name) => urlOf(place, name),
      leave: () => leave(place, { membership, watch }),
    };
  } catch (error) {
    await membership.close();
    throw error;
  }
}

async function findPlace({
  dataDir,
  configuration = {},
  archiveDir = null,
}: EmbeddedPostgresOptions): Promise<Place> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const binaries = await findPostgresBinaries();
  const launcher = await findLauncher(binaries, dataDir);
  const password = await initialiseCluster({ binaries, launcher, dataDir });
  const socketFolder = await makeSocketFolder(dataDir);
  await giveFolder(launcher, socketFolder);
  if (archiveDir !== null) {
    await mkdir(archiveDir, { recursive: true, mode: 0o700 });
    await giveFolder(launcher, archiveDir);
  }
  const archiving = archiveDir === null ? {} : archiveConfiguration(archiveDir);
  return {
    dataDir,
    cluster: join(dataDir, "db"),
    socketFolder,
    binaries,
    launcher,
    password,
    configuration: { ...archiving, ...configuration },
  };
}

/** Null: to the end of the archived log. */
export type LogToFollow = { readonly archiveDir: string; readonly until: Date | null };

/** It ends before the wanted moment, or a part is missing. */
export class LogEndsEarlyError extends Error {
  override readonly name = "LogEndsEarlyError";
}

/**
 * Recovers a base backup with the archived log, works on it alone, and resolves once its server has
 * ended: the folder may then be moved.
 * Errors: `LogEndsEarlyError`.
 */
export async function recoverEmbeddedPostgres<T>(
  dataDir: string,
  log: LogToFollow | null,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const place = await findPlace({
    dataDir,
    configuration: log === null ? {} : recoveryConfiguration(log),
  });
  if (log !== null) {
    await writeFile(join(place.cluster, "recovery.signal"), "", { mode: 0o600 });
    await giveFolder(place.launcher, log.archiveDir);
  }
  const membership = await openMembership(place);
  const keeper = await startServer(place);
  keeper.ref();
  const ended = new Promise<null>((resolve) => keeper.once("exit", () => resolve(null)));
  try {
    for (;;) {
      const client = await Promise.race([tryConnect(place, MEMBER_NAME), ended]);
      const recovering = (
        await client
          ?.query<{ recovering: boolean }>("select pg_is_in_recovery() as recovering")
          .catch(() => null)
      )?.rows[0]?.recovering;
      await client?.end().catch(() => {});
      if (recovering === false) return await work(urlOf(place, "paraphe"));
      if (keeper.exitCode !== null || keeper.signalCode !== null)
        throw new LogEndsEarlyError(
          `PostgreSQL did not recover: see ${join(dataDir, "postgresql.log")}`,
        );
      await Promise.race([sleep(100), ended]);
    }
  } finally {
    await membership.close();
    await ended;
  }
}

/**
 * Compresses, syncs, then names each file; compares an existing one. Source: PostgreSQL 18 §25.3.1.
 */
function archiveConfiguration(archiveDir: string): Record<string, string> {
  const there = `${quoted(archiveDir)}/%f.gz`;
  return {
    archive_mode: "on",
    // A lost machine loses the last minute at most.
    archive_timeout: "60",
    archive_command: `if [ -e ${there} ]; then gzip -dc ${there} | cmp -s - "%p"; else gzip -c "%p" > ${there}.part && sync ${there}.part && mv ${there}.part ${there}; fi`,
  };
}

function recoveryConfiguration({ archiveDir, until }: LogToFollow): Record<string, string> {
  return {
    restore_command: `test -e ${quoted(archiveDir)}/%f.gz && gzip -dc ${quoted(archiveDir)}/%f.gz > "%p"`,
    ...(until === null
      ? {}
      : { recovery_target_time: until.toISOString().replace("T", " ").replace("Z", "+00") }),
    recovery_target_action: "promote",
  };
}

/** Quotes for a shell, where % starts a placeholder. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`).replaceAll("%", "%%")}'`;
}

/** A pipe opened for reading and writing never waits (fifo(7)). */
async function openMembership(place: Place): Promise<FileHandle> {
  const pipe = join(place.socketFolder, "members");
  await run("mkfifo", ["-m", "600", pipe]).catch(async (error: unknown) => {
    if (!(await stat(pipe).catch(() => null))?.isFIFO()) throw error;
  });
  await giveFolder(place.launcher, pipe).catch(() => {});
  return open(pipe, constants.O_RDWR);
}

type Watch = { stop(): Promise<{ last: boolean }> };

async function watchServer(place: Place, onTrouble: (error: unknown) => void): Promise<Watch> {
  let stopped = false;
  let client = await connectOrStart(place);
  let mending: Promise<void> = Promise.resolve();
  const watch = (watched: pg.Client) => {
    watched.once("end", () => {
      if (!stopped) mending = mend();
    });
    watched.on("error", onTrouble);
  };
  const mend = async () => {
    while (!stopped) {
      try {
        client = await connectOrStart(place);
        watch(client);
        return;
      } catch (error) {
        onTrouble(error);
        await sleep(1_000);
      }
    }
  };
  watch(client);
  return {
    async stop() {
      stopped = true;
      await mending;
      const others = await client
        .query(
          "select 1 from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()",
          [MEMBER_NAME],
        )
        .catch(() => ({ rowCount: 0 }));
      await client.end().catch(onTrouble);
      return { last: others.rowCount === 0 };
    },
  };
}

async function leave(place: Place, held: { membership: FileHandle; watch: Watch }): Promise<void> {
  const { last } = await held.watch.stop();
  const server = await readServerPid(place);
  await held.membership.close();
  if (!last || server === null) return;
  if (await waitForEnd(place, STOP_TIMEOUT_MS / 4)) return;
  // Stops only a server without members, since another process may have joined meanwhile.
  const joined = await tryConnect(place, MEMBER_NAME);
  const alone = joined
    ? (
        await joined.query(
          "select 1 from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()",
          [MEMBER_NAME],
        )
      ).rowCount === 0
    : false;
  await joined?.end();
  if (alone) process.kill(server, "SIGINT");
  await waitForEnd(place, STOP_TIMEOUT_MS);
}

async function connectOrStart(place: Place): Promise<pg.Client> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let startedAt = 0;
  let delayMs = 15;
  for (;;) {
    const client = await tryConnect(place, MEMBER_NAME);
    if (client) return client;
    // A start beside a dying server is refused: it is tried again a second later.
    if (Date.now() - startedAt > 1_000 && !(await isRunning(place))) {
      await startServer(place);
      startedAt = Date.now();
    }
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: see ${join(place.dataDir, "postgresql.log")}`);
    await sleep(delayMs);
    delayMs = Math.min(delayMs * 1.5, 200);
  }
}

/** Creates `paraphe` if missing; null while the server is away, starts or stops. */
async function tryConnect(place: Place, applicationName: string): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: urlOf(place, "paraphe"),
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (sqlState(error) === "3D000")
      return (await createDatabase(place)) ? tryConnect(place, applicationName) : null;
    if (isPassing(error)) return null;
    throw error;
  }
}

/** These pass: no socket, no listener, a cut connection, or 57P03 (starting, stopping). */
function isPassing(error: unknown): boolean {
  const cut = error instanceof Error && /terminated|timeout/i.test(error.message);
  return (
    cut ||
    ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE", "57P01", "57P03"].includes(sqlState(error))
  );
}

async function createDatabase(place: Place): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(place, "postgres") });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("create database paraphe");
    return true;
  } catch (error) {
    // 42P04 and 23505: another process was first.
    if (["42P04", "23505"].includes(sqlState(error))) return true;
    if (isPassing(error)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Stops the server (SIGINT: fast shutdown) once nobody has the pipe open. Its own session keeps the
 * terminal's Ctrl-C away.
 */
const KEEPER = `
pipe=$1; shift
"$@" & server=$!
{ cat <"$pipe" >/dev/null; kill -INT $server; } 2>/dev/null & reader=$!
wait $server
pkill -P $reader 2>/dev/null; kill $reader 2>/dev/null
`;

async function startServer(place: Place): Promise<ChildProcess> {
  await removeStaleLocks(place);
  const logFile = join(place.dataDir, "postgresql.log");
  const tooLong = ((await stat(logFile).catch(() => null))?.size ?? 0) > LOG_LIMIT_BYTES;
  const log = await open(logFile, tooLong ? "w" : "a", 0o600);
  const configuration = { ...serverConfiguration(place), ...place.configuration };
  const settings = Object.entries(configuration).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const command = [
    ...place.launcher.prefix,
    join(place.binaries, "postgres"),
    "-D",
    place.cluster,
    ...settings,
  ];
  const keeper = spawn(
    "/bin/sh",
    ["-c", KEEPER, "sh", join(place.socketFolder, "members"), ...command],
    {
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      env: postgresEnvironment(),
      cwd: "/",
    },
  );
  keeper.on("error", () => {});
  keeper.unref();
  await log.close();
  return keeper;
}

function serverConfiguration(place: Place): Record<string, string> {
  return {
    listen_addresses: "",
    unix_socket_directories: `"${place.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    max_connections: "100",
    shared_buffers: "64MB",
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off",
    // The system's cache has the whole database: processes that read ahead cost memory.
    io_method: "sync",
    max_logical_replication_workers: "0",
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
    log_min_messages: "warning",
  };
}

function urlOf(place: Place, databaseName: string): string {
  return `postgres://${POSTGRES_USER}:${place.password}@localhost:5432/${databaseName}?host=${encodeURIComponent(place.socketFolder)}`;
}

async function readServerPid(place: Place): Promise<number | null> {
  const text = await readFile(join(place.cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(text.split("\n")[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/**
 * After a crash the number in PostgreSQL's lock files may be another program's, and PostgreSQL
 * would not start. It removes a dead process's lock itself.
 */
async function removeStaleLocks(place: Place): Promise<void> {
  const pid = await readServerPid(place);
  if (pid === null || (await isServerOf(place, pid))) return;
  for (const lock of [
    join(place.cluster, "postmaster.pid"),
    join(place.socketFolder, ".s.PGSQL.5432.lock"),
  ])
    await rm(lock, { force: true });
}

async function isRunning(place: Place): Promise<boolean> {
  const pid = await readServerPid(place);
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (sqlState(error) !== "EPERM") return false;
  }
  return isServerOf(place, pid);
}

async function isServerOf(place: Place, pid: number): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => null);
  return commandLine === null ? process.platform !== "linux" : commandLine.includes(place.cluster);
}

async function waitForEnd(place: Place, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(20)) {
    if (!(await isRunning(place))) return true;
  }
  return false;
}

const MAJOR_VERSION = "18";
const POSTGRES_USER = "paraphe";
/** Stands in the cluster's folder, which parsers of hostile files cannot read. */
const PASSWORD_FILE = "paraphe-password";
const ABANDONED_AFTER_MS = 10 * 60_000;

/** Gives its user's password. A rename makes the cluster appear whole: of two starts one wins. */
async function initialiseCluster(options: {
  binaries: string;
  launcher: Launcher;
  dataDir: string;
}): Promise<string> {
  const { binaries, launcher, dataDir } = options;
  const cluster = join(dataDir, "db");
  await removeAbandoned(dataDir);
  if (!(await exists(join(cluster, "PG_VERSION")))) {
    const place = join(dataDir, `db.new-${randomUUID()}`);
    const fresh = join(place, "db");
    // Moved in later, as initdb wants an empty folder.
    const password = join(place, PASSWORD_FILE);
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    await writeFile(password, randomBytes(32).toString("base64url"), { mode: 0o600 });
    await giveFolder(launcher, place);
    // C.UTF-8 needs no locale (PostgreSQL 18, §23.1.4).
    const words = [
      "--pgdata",
      fresh,
      "--username",
      POSTGRES_USER,
      "--auth",
      "scram-sha-256",
      "--pwfile",
      password,
      // The password has 256 random bits: more iterations would slow us alone.
      "--set",
      "scram_iterations=1",
      "--encoding",
      "UTF8",
      "--locale",
      "C",
      "--locale-provider",
      "builtin",
      "--builtin-locale",
      "C.UTF-8",
      "--no-instructions",
    ];
    const [command = "", ...rest] = [...launcher.prefix, join(binaries, "initdb"), ...words];
    await run(command, rest, { env: postgresEnvironment(), cwd: "/" });
    await rename(password, join(fresh, PASSWORD_FILE));
    await rename(fresh, cluster).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    await rm(place, { recursive: true, force: true });
  }
  await giveFolder(launcher, cluster);
  const version = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  if (version !== MAJOR_VERSION)
    throw new Error(
      `${cluster} was made by PostgreSQL ${version}; this version reads PostgreSQL ${MAJOR_VERSION}`,
    );
  const password = await readFile(join(cluster, PASSWORD_FILE), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new SettingsError(
        `Démarrage impossible\u00a0: ${cluster} vient d’une version antérieure, ou son fichier ${PASSWORD_FILE} manque. Remettez ce fichier, ou exportez la base avec cette version-là et restaurez-la dans un dossier neuf (docs/operations/backup.md). Exemple\u00a0: DATA_DIR=./data-neuf`,
      );
    },
  );
  return password.trim();
}

async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith("db.new-")) continue;
    const folder = join(dataDir, name);
    const age = Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
