import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { CommandFault } from "../outcome.ts";
import pg from "pg";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** Long enough for the settings at the start of a plain dump. */
const HEAD_BYTES = 1_024;

/**
 * Finds one of this major version or the first newer: older ones refuse the server and its dumps.
 * Errors: `CommandFault` where there is none.
 */
export async function findPostgresProgram(
  name: "pg_dump" | "pg_restore" | "psql",
  major: number,
): Promise<string> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const places = [
    name,
    ...versions
      .toSorted((a, b) => Number(a) - Number(b))
      .map((version) => join(DEBIAN, version, "bin", name)),
  ];
  for (const place of places) {
    const { stdout } = await run(place, ["--version"]).catch(() => ({ stdout: "" }));
    if (Number(/ (\d+)/.exec(stdout)?.[1] ?? 0) >= major) return place;
  }
  throw new CommandFault(
    `${name} ${major} ou plus récent manque sur cette machine\u00a0: installez-le (apt install postgresql-client-${major}).`,
  );
}

/** The password goes by PGPASSWORD (libpq): every user can read a command line. */
function connectionOf(url: string): { readonly address: string; readonly env: NodeJS.ProcessEnv } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = "";
  return {
    address: address.href,
    env: { ...process.env, ...(password === "" ? {} : { PGPASSWORD: password }) },
  };
}

/** Errors: the stream's, `CommandFault` with the program's message. */
export async function openDump(url: string, major: number): Promise<Readable> {
  const program = await findPostgresProgram("pg_dump", major);
  const { address, env } = connectionOf(url);
  const child = spawn(
    program,
    ["--format=custom", "--no-owner", "--no-privileges", `--dbname=${address}`],
    {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const ended = ending(child, "pg_dump");
  ended.catch((error: Error) => child.stdout.destroy(error));
  // The exit code comes after the output.
  const whole = async function* () {
    yield* child.stdout;
    await ended;
  };
  return Readable.from(whole(), { objectMode: false });
}

/**
 * Restores in one transaction, as plain SQL through psql: pg_restore 17 sends a setting that older
 * servers refuse. Errors: `CommandFault` with the program's message.
 */
export async function restoreDump(
  url: string,
  major: number,
  dump: AsyncIterable<Uint8Array>,
): Promise<void> {
  const [restore, psql] = await findRestorePrograms(major);
  const { address, env } = connectionOf(url);
  const reader = spawn(restore, ["--no-owner", "--no-privileges", "--file=-"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const read = feed(reader, "pg_restore", dump);
  read.catch(() => {});
  const words = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", `--dbname=${address}`];
  const writer = spawn(psql, words, { env, stdio: ["pipe", "ignore", "pipe"] });
  try {
    await feed(writer, "psql", inOneTransaction(reader.stdout, read));
  } finally {
    reader.kill();
  }
  await read;
}

/** Errors: `CommandFault` where one is missing. */
export async function findRestorePrograms(
  major: number,
): Promise<readonly [restore: string, psql: string]> {
  return [await findPostgresProgram("pg_restore", major), await findPostgresProgram("psql", major)];
}

/** Commits once the whole dump was read. */
async function* inOneTransaction(
  text: AsyncIterable<Buffer>,
  read: Promise<void>,
): AsyncGenerator<Buffer, void> {
  yield Buffer.from("begin;\n");
  let head: Buffer | null = Buffer.alloc(0);
  for await (const part of text) {
    if (head === null) yield part;
    else if ((head = Buffer.concat([head, part])).length >= HEAD_BYTES) {
      yield forEachVersion(head);
      head = null;
    }
  }
  if (head !== null) yield forEachVersion(head);
  await read;
  yield Buffer.from("commit;\n");
}

/** Removes settings unknown before PostgreSQL 17. */
function forEachVersion(head: Buffer): Buffer {
  const settings = head
    .subarray(0, HEAD_BYTES)
    .toString("latin1")
    .replace("\nSET transaction_timeout = 0;\n", "\n");
  return Buffer.concat([Buffer.from(settings, "latin1"), head.subarray(HEAD_BYTES)]);
}

/** Errors: `CommandFault` for an unreadable dump. */
export async function listDump(major: number, dump: AsyncIterable<Uint8Array>): Promise<void> {
  await feed(
    spawn(await findPostgresProgram("pg_restore", major), ["--list"], {
      stdio: ["pipe", "ignore", "pipe"],
    }),
    "pg_restore",
    dump,
  );
}

async function feed(
  child: ChildProcess,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const ended = ending(child, name);
  if (child.stdin === null) throw new Error("Expected a program that reads");
  // The program itself says why it stopped reading.
  const fed = pipeline(chunks, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
  await Promise.all([ended, fed]);
}

async function ending(child: ChildProcess, name: string): Promise<void> {
  let said = "";
  child.stderr
    ?.setEncoding("utf8")
    .on("data", (part: string) => (said = `${said}${part}`.slice(0, 100_000)));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  if (code === 0) return;
  // ENOSPC (errno(3)) of psql is the server's disk.
  if (said.includes("No space left on device"))
    throw new CommandFault(
      `Le disque est plein (${name})\u00a0: faites-y de la place, puis recommencez, DATA_DIR et la base de DATABASE_URL de nouveau vides.`,
    );
  throw new CommandFault(`${name} a échoué\u00a0: ${said.trim().split("\n")[0] ?? ""}`);
}

/** Errors: `CommandFault` with tar's message. */
export async function unpackBase(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<void> {
  await feed(
    spawn("tar", ["--extract", "--no-same-owner", "--file=-", `--directory=${folder}`], {
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, LC_ALL: "C" },
    }),
    "tar",
    gunzip(archive),
  );
}

/** Reads the whole archive, which must be a database folder. Errors: `CommandFault`. */
export async function checkBase(archive: AsyncIterable<Uint8Array>): Promise<void> {
  const child = spawn("tar", ["--list", "--file=-"], { stdio: ["pipe", "pipe", "pipe"] });
  const names = new Set<string>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    const lines = `${rest}${part}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (NEEDED.includes(line)) names.add(line);
  });
  await feed(child, "tar", gunzip(archive));
  const missing = NEEDED.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new CommandFault(
      `La base de cette sauvegarde est incomplète\u00a0: ${missing} y manque.`,
    );
}

/** PostgreSQL does not start without these. */
const NEEDED = ["PG_VERSION", "backup_label", "global/pg_control", "paraphe-password"];

async function* gunzip(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const opened = createGunzip();
  const filled = pipeline(archive, opened);
  filled.catch(() => {});
  yield* opened as AsyncIterable<Uint8Array>;
  await filled;
}

/** Source: PostgreSQL 18 §54.4, BASE_BACKUP. */
const ARCHIVE_DATA = 0x64;
const COMMAND = "BASE_BACKUP (LABEL 'paraphe', CHECKPOINT 'fast', WAL true, MANIFEST 'no')";

type Line = { readonly stream: { pause(): void; resume(): void }; query(text: string): void };
type CopyData = { readonly chunk: Uint8Array };

/**
 * Gives one tar with its log, page checksums verified: restored, it is the database at the end.
 * `url`: of a role that may replicate.
 * Errors: the stream's.
 */
export async function openBaseBackup(url: string): Promise<Readable> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe-backup",
    replication: "database",
    keepAlive: true,
  } as pg.ClientConfig);
  await client.connect();
  const query = createBackupQuery();
  client.on("error", (error) => query.stream.destroy(error));
  query.stream.once("close", () => void client.end().catch(() => {}));
  client.query(query as never);
  return query.stream;
}

function createBackupQuery() {
  let line: Line | null = null;
  const stream = new Readable({ read: () => line?.stream.resume(), highWaterMark: 1024 * 1024 });
  const ignore = () => {};
  return {
    stream,
    submit(connection: Line) {
      line = connection;
      connection.query(COMMAND);
    },
    handleCopyData({ chunk }: CopyData) {
      if (chunk[0] === ARCHIVE_DATA && !stream.push(Uint8Array.from(chunk.subarray(1))))
        line?.stream.pause();
    },
    handleReadyForQuery: () => void stream.push(null),
    handleError: (error: Error) => void stream.destroy(error),
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
    handleEmptyQuery: ignore,
    handlePortalSuspended: ignore,
  };
}
