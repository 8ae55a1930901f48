import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createIdMaker } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import { EVERYTHING } from "./database/announce-changes.ts";
import { connectDatabase, createReads, type Database } from "./database/database.ts";
import { joinEmbeddedPostgres } from "./database/embedded/embedded-postgres.ts";
import { createListen, createPresence } from "./database/lasting-connection.ts";
import {
  checkServerVersion,
  migrateDatabase,
  makePartitions,
} from "./database/migrate-database.ts";
import { SERVICE_ROLE, prepareServiceRole, serviceUrlOf } from "./database/service-role.ts";
import { openStore } from "./files/open-store.ts";
import { openHsm } from "./hsm/hsm.ts";
import { createImageSandbox } from "./images/create-image-sandbox.ts";
import { type Log, createLog } from "./logs/log.ts";
import { createMailTransport } from "./mail/create-mail-transport.ts";
import { createPdfSandbox } from "./pdf-sandbox/create-pdf-sandbox.ts";
import { hasMemoryLimit, hasNoNetwork } from "./pdf-sandbox/sandbox-process.ts";
import { type Clock, systemClock, type Platform } from "./platform.ts";
import { createPrecedence } from "./concurrency.ts";
import { createPushTransport } from "./push/create-push-transport.ts";
import { createQueue } from "./queue/create-queue.ts";
import { openSecrets } from "./secrets/data-key.ts";
import type { DatabaseShare, Settings } from "./settings/settings.ts";
import { createSmsTransport } from "./sms/create-sms-transport.ts";
import { exportTraces } from "./traces/spans.ts";

export type OpenPlatform = {
  readonly platform: Platform;
  /** Starts what else would start at first use. */
  warm(): Promise<void>;
  close(): Promise<void>;
};

/** Migrates the database; `close` releases all. */
export async function openPlatform(
  settings: Settings,
  given: { clock?: Clock; log?: Log } = {},
): Promise<OpenPlatform> {
  const log = given.log ?? createLog(undefined, settings.logLevel);
  const clock = given.clock ?? systemClock;
  const random = createRandom();
  const newId = createIdMaker(clock, random);
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const database = await openDatabases(settings, log);
  const { db, server } = database;
  const sandbox = createPdfSandbox();
  const images = createImageSandbox();
  warnOfWeakSandbox(log);
  const traces = settings.traces === null ? null : exportTraces(settings.traces, log);
  const closing: (() => Promise<void>)[] = [
    async () => traces?.close(),
    () => sandbox.close(),
    () => images.close(),
    database.close,
  ];
  const close = async () => {
    for (const step of closing) await step();
  };
  try {
    await announceEverything(db);
    const secrets = await openSecrets({ db, settings, random });
    const transports = openTransports(settings, { db, clock, newId, random, secrets });
    closing.unshift(() => transports.mail.close());
    const hsm = settings.pkcs11 === null ? null : await openHsm(settings.pkcs11);
    closing.unshift(async () => hsm?.close());
    const lines = { url: server.url, log };
    const presence = createPresence(lines);
    closing.unshift(() => presence.close());
    const platform: Platform = {
      settings,
      db,
      reads: database.reads,
      listen: createListen(lines),
      presence,
      queue: createQueue({ ...lines, connections: settings.databaseShare.queueConnections }),
      precedence: createPrecedence(),
      files: await openStore(db, settings, { newId, clock }),
      sandbox,
      images,
      ...transports,
      secrets,
      hsm,
      clock,
      random,
      newId,
      log,
    };
    return { platform, warm: () => sandbox.warm(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const POOL_BYTES = 4_096;

/** Drawn ahead, since a draw costs more than its bytes; no byte is given twice, or stays. */
function createRandom(): (length: number) => Uint8Array {
  let [pool, used] = [randomBytes(POOL_BYTES), 0];
  return (length) => {
    if (length > POOL_BYTES / 8) return new Uint8Array(randomBytes(length));
    if (used + length > POOL_BYTES) [pool, used] = [randomBytes(POOL_BYTES), 0];
    const given = pool.subarray(used, (used += length));
    const bytes = Uint8Array.from(given);
    given.fill(0);
    return bytes;
  };
}

function openTransports(
  settings: Settings,
  deps: Pick<Platform, "db" | "clock" | "newId" | "random" | "secrets">,
): Pick<Platform, "mail" | "sms" | "push"> {
  return {
    mail: createMailTransport(settings, deps),
    sms: createSmsTransport(settings, deps),
    push: createPushTransport(settings, deps),
  };
}

export async function migrateServer(settings: Settings): Promise<void> {
  const log = createLog(undefined, settings.logLevel);
  const server = await openDatabaseServer(settings, log);
  try {
    await prepareDatabase(server, log);
    const queue = createQueue({ url: server.url, log });
    await queue.start("enqueue");
    await queue.stop();
  } finally {
    await server.leave();
  }
}

async function openDatabases(settings: Settings, log: Log) {
  const server = await openDatabaseServer(settings, log);
  const role = await prepareDatabase(server, log).catch(async (error: unknown) => {
    await server.leave();
    throw error;
  });
  const service = { share: settings.databaseShare, role, log };
  const db = connectService(server.serviceUrl ?? server.url, service);
  const replica =
    server.readUrl === null
      ? null
      : connectService(server.readUrl, { ...service, mayFollow: true });
  return {
    server,
    db,
    reads: createReads(db, replica, log),
    async close() {
      await db.destroy();
      await replica?.destroy();
      await server.leave();
    },
  };
}

type ServiceConnections = {
  readonly share: DatabaseShare;
  readonly role: string | null;
  readonly log: Log;
  readonly mayFollow?: boolean;
};

function connectService(
  url: string,
  { share, role, log, mayFollow = false }: ServiceConnections,
): Database {
  return connectDatabase(url, {
    maxConnections: share.connections,
    limits: share,
    mayFollow,
    role,
    onConnectionLost: (error) => log.warn({ error }, "a database connection was lost"),
    onUnannounced: (error) => log.warn({ error }, "live changes could not be announced yet"),
  });
}

function warnOfWeakSandbox(log: Log): void {
  if (!hasMemoryLimit())
    log.warn(
      {},
      "prlimit (util-linux) is missing: a PDF may take more memory than 1 GB while it is parsed",
    );
  if (!hasNoNetwork())
    log.warn(
      {},
      "no network namespace can be made (util-linux, user namespaces): what parses PDFs and pictures could reach the network",
    );
}

/** `serviceUrl`: the service's login, which cannot become the owner; `readUrl`: a replica's. */
export type DatabaseServer = {
  readonly url: string;
  readonly serviceUrl: string | null;
  readonly readUrl: string | null;
  leave(): Promise<void>;
};

/** Runs as the owner; gives the role to act as. */
async function prepareDatabase(
  { url, serviceUrl }: DatabaseServer,
  log: Log,
): Promise<string | null> {
  const owner = connectDatabase(url, { maxConnections: 1 });
  try {
    await checkServerVersion(owner);
    await migrateDatabase(owner);
    await makePartitions(owner);
    if (
      await prepareServiceRole(owner, {
        login: serviceUrl === serviceUrlOf(url) ? serviceUrl : null,
      })
    )
      return SERVICE_ROLE;
    log.warn(
      {},
      "the database's role paraphe_service could not be made: see docs/operations/database-role.md",
    );
    return null;
  } finally {
    await owner.destroy();
  }
}

export async function openDatabaseServer(
  { database, production }: Settings,
  log: Log,
): Promise<DatabaseServer> {
  if (database.kind === "external") return { ...database, leave: async () => {} };
  if (production)
    log.warn(
      {},
      "the embedded PostgreSQL is for trying: in production, give DATABASE_URL (docs/operations/settings.md)",
    );
  const { url, leave } = await joinEmbeddedPostgres({
    dataDir: database.dataDir,
    archiveDir: database.archiveDir,
    onTrouble: (error) => log.warn({ error }, "the embedded PostgreSQL was away"),
  });
  return { url, serviceUrl: serviceUrlOf(url), readUrl: null, leave };
}

/** A process may have died between commit and announcement. */
export async function announceEverything(db: Database): Promise<void> {
  await sql`select pg_notify('envelope_changed', ${EVERYTHING})`.execute(db);
}
