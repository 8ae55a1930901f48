import type { EventEmitter } from "node:events";
import {
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  sql,
  type Transaction as KyselyTransaction,
} from "kysely";
import pg from "pg";
import {
  ANNOUNCE_SQL,
  type Announcement,
  announceValues,
  createChangeAnnouncer,
  hearCommitted,
} from "./announce-changes.ts";
import { PreparingClient } from "./preparing-client.ts";
import type { DB } from "./schema.generated.ts";
import { inSpan, type SpanStart } from "../traces/spans.ts";
import { isStalePlan, outageOf, STALE_TRIES } from "../error-code.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../logs/log.ts";

export type Schema = DB;
export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;
export type Reader = Database | Transaction;

type DatabaseOptions = {
  readonly maxConnections?: number;
  /** Absent: the role of the address. */
  readonly role?: string | null;
  readonly limits?: StatementLimits;
  /** Accepts a replica that follows a primary. */
  readonly mayFollow?: boolean;
  readonly onConnectionLost?: (error: Error) => void;
  readonly onUnannounced?: (error: unknown) => void;
};

type StatementLimits = { readonly statementMs: number; readonly lockMs: number };

/** A silent server delays the end no longer. */
const ANSWER_MS = 5_000;

export function connectDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = createPool(url, options);
  const dialect = new PostgresDialect({ pool });
  const driver = new EagerDriver({ pool });
  void driver.init();
  const executor = new PipeliningExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    new DefaultConnectionProvider(driver),
  );
  const database = new Kysely<Schema>({ config: { dialect }, dialect, driver, executor });
  pools.set(database, pool);
  return database;
}

/**
 * Sends `begin` with the first statements, which saves a round trip. Where it fails,
 * `PreparingClient` ends the connection.
 */
class EagerDriver extends PostgresDriver {
  override async beginTransaction(
    ...given: Parameters<PostgresDriver["beginTransaction"]>
  ): Promise<void> {
    super.beginTransaction(...given).catch(() => {});
  }
}

const pools = new WeakMap<Database, pg.Pool>();

export function poolUse(database: Database): Readonly<Record<"idle" | "busy" | "waiting", number>> {
  const { idleCount = 0, totalCount = 0, waitingCount = 0 } = pools.get(database) ?? {};
  return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
}

const channelsOf = (pool: pg.Pool): EventEmitter => pool;

/**
 * Calls `heard` after each commit of this process that notifies the channel; gives the function
 * that stops it.
 */
export function onCommit(database: Database, channel: string, heard: () => void): () => void {
  const pool = pools.get(database);
  if (pool === undefined) return () => {};
  channelsOf(pool).on(channel, heard);
  return () => channelsOf(pool).off(channel, heard);
}

const ofClient = ({ mayFollow = false }: DatabaseOptions) => ({
  Client: PreparingClient,
  pipeline: true,
  mayFollow,
});

/**
 * Detects a silent server, and leaves a replaced one: each connection is renewed within ten
 * minutes.
 */
export const LASTING = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  maxLifetimeSeconds: 600,
} as const;
const LATE_MS = 1_000;
const WAIT_MS = 9_000;
/** After this a stalled or vanished process loses its locks. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Sent as connection parameters: behind a shared pooler a `set` lasts one transaction
 * (docs/operations/pooler.md).
 */
const withinLimits = ({ statementMs, lockMs }: StatementLimits) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  query_timeout: statementMs + LATE_MS,
});

function createPool(url: string, options: DatabaseOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    ...ofClient(options),
    connectionString: url,
    max: options.maxConnections ?? 10,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: WAIT_MS,
    ...LASTING,
    ...(options.limits === undefined ? {} : withinLimits(options.limits)),
    application_name: "paraphe",
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
    ...actingAs(options.role ?? null, url),
  });
  announceThrough(pool, url, options);
  failTogether(pool);
  // The pool listens to idle connections only; a cut inside a transaction would end the process.
  pool.on("connect", (client) => listenForLoss(client, options));
  pool.on("release", (_error, client) => {
    if (client instanceof PreparingClient && client.isStale()) void client.end();
  });
  pool.on("error", () => {});
  return pool;
}

/** Closes a connection that cannot take the role. Source: pg-pool, `onConnect`. */
function actingAs(role: string | null, url: string) {
  return role === null || new URL(url).username === role
    ? {}
    : {
        onConnect: (client: pg.ClientBase) => client.query(`set role ${pg.escapeIdentifier(role)}`),
      };
}

/** Announces until the last connection ends, then on its own one: an ending pool gives none. */
function announceThrough(pool: pg.Pool, url: string, { onUnannounced }: DatabaseOptions): void {
  let isEnding = false;
  let last: Promise<unknown> = Promise.resolve();
  const announcer = createChangeAnnouncer(
    (messages) => {
      if (isEnding) return announceAlone(url, messages);
      last = pool.query(ANNOUNCE_SQL, announceValues(messages));
      return last;
    },
    (error) => onUnannounced?.(error),
  );
  pool.on("connect", (client) => {
    // Channels heard in this process need no announcement (`onCommit`).
    if (client instanceof PreparingClient)
      hearCommitted(client, (message) => {
        if (!channelsOf(pool).emit(message.channel)) announcer.add(message);
      });
  });
  const end = pool.end.bind(pool);
  pool.end = (async () => {
    isEnding = true;
    await last.catch(() => {});
    await end();
    await announcer.rest();
  }) as typeof pool.end;
}

async function announceAlone(url: string, messages: readonly Announcement[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(ANNOUNCE_SQL, announceValues(messages));
  } finally {
    await client.end();
  }
}

function listenForLoss(client: pg.PoolClient, { onConnectionLost }: DatabaseOptions): void {
  let isLost = false;
  client.on("error", (error) => {
    if (!isLost) onConnectionLost?.(error);
    isLost = true;
  });
}

const INT8 = 20;
const DATE = 1082;

/** bigint is below 2^53. Dates stay text: a `Date` moves with the time zone. */
function parserOf(oid: number, format?: "text" | "binary"): unknown {
  if (format !== "binary" && oid === INT8) return Number;
  if (format !== "binary" && oid === DATE) return (text: string) => text;
  return pg.types.getTypeParser(oid, format as "text");
}

const FEW = 2;
const PATIENCE_MS = 50;

/** A new connection plans all statements anew. */
function patientConnect(pool: pg.Pool): () => Promise<pg.PoolClient> {
  const connect = pool.connect.bind(pool);
  const patient = new Set<() => void>();
  pool.on("release", () => patient.values().next().value?.());
  const isBusy = () =>
    pool.idleCount <= pool.waitingCount &&
    pool.totalCount >= FEW &&
    pool.totalCount < (pool.options.max ?? FEW);
  return async () => {
    const until = performance.now() + PATIENCE_MS;
    while (isBusy() && performance.now() < until)
      await new Promise<void>((resolve) => {
        const goOn = () => {
          patient.delete(goOn);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(goOn, until - performance.now());
        patient.add(goOn);
      });
    return connect();
  };
}

/** While a server is silent, each caller would wait as long again. */
function failTogether(pool: pg.Pool): void {
  const waiting = new Set<() => void>();
  const connect = pool.connect.bind(pool);
  const connectPatiently = patientConnect(pool);
  const connectUnlessSilent = async () => {
    const silence = Promise.withResolvers<never>();
    let hasFailed = false;
    const fail = () => {
      hasFailed = true;
      silence.reject(new Error("Connection terminated: the database server fell silent"));
    };
    waiting.add(fail);
    const given = connectPatiently().finally(() => waiting.delete(fail));
    given.then((client) => hasFailed && client.release()).catch(() => {});
    return Promise.race([given, silence.promise]);
  };
  // With a callback, the pool calls it for one statement.
  pool.connect = ((...callback: Parameters<typeof connect>) =>
    callback.length > 0 ? connect(...callback) : connectUnlessSilent()) as typeof pool.connect;
  pool.on("connect", (client) => {
    client.once("error", () => {
      if (client instanceof PreparingClient && client.isSilent())
        for (const fail of waiting) fail();
    });
  });
}

const LONGEST_TEXT = 2_000;

/**
 * Does not wait for earlier answers: `inParallel([lockRow(trx), updateRow(trx)])` costs one round
 * trip, in order. Needs pipeline mode. A failure aborts the transaction. Outside one, a stale
 * statement runs again on another connection.
 */
class PipeliningExecutor extends DefaultQueryExecutor {
  override async executeQuery<R>(
    ...given: Parameters<DefaultQueryExecutor["executeQuery"]>
  ): Promise<QueryResult<R>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inSpan(
          () => statementSpan(given[0].sql),
          () => super.executeQuery<R>(...given),
        );
      } catch (error) {
        if (attempt === STALE_TRIES || !isStalePlan(error)) throw error;
      }
    }
  }

  override withConnectionProvider(provider: ConnectionProvider): DefaultQueryExecutor {
    return super.withConnectionProvider(withoutWaiting(provider));
  }
}

/**
 * Leaves out parameters, which have personal data. Source: OpenTelemetry's database conventions.
 */
function statementSpan(text: string): SpanStart {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "SQL";
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": operation,
    "db.query.text": text.slice(0, LONGEST_TEXT),
  };
  return { name: operation, kind: "client", attributes };
}

/** Kysely lends a transaction's connection to one query at a time; this lends it to all. */
function withoutWaiting(provider: ConnectionProvider): ConnectionProvider {
  let connection: DatabaseConnection | null = null;
  const given = provider.provideConnection(async (one) => {
    connection = one;
    return one;
  });
  given.catch(() => {});
  return {
    provideConnection: async (consumer) => consumer(connection ?? (await given)),
  };
}

/** Reads on a replica that has all earlier commits, else on the primary. */
export type Reads = <T>(work: (db: Database) => Promise<T>) => Promise<T>;

/** Replicas are milliseconds behind; a slower one is not awaited. */
const REPLICA_TRIES = 5;
const PAUSE_MS = 5;
const REPLICA_MS = 500;
const AWAY_MS = 5_000;

/** Source: ADR 0002. */
export function createReads(primary: Database, replica: Database | null, log: Log): Reads {
  if (replica === null) return (work) => work(primary);
  let awayUntil = 0;
  const leave = (error: unknown) => {
    awayUntil = performance.now() + AWAY_MS;
    log.warn({ error }, "the database's replica is away: the primary is read");
  };
  return async (work) => {
    if (performance.now() < awayUntil) return work(primary);
    const position = await positionOf(primary);
    let isReading = false;
    try {
      const read = await onReplica(replica, position, (db) => {
        isReading = true;
        return work(db);
      });
      if (read !== null) return read.answer;
    } catch (error) {
      if (isReading && outageOf(error) !== "service_unavailable") throw error;
      leave(error);
    }
    return work(primary);
  };
}

/**
 * Checks and works on one connection, as an address may serve several replicas. Null: behind.
 * Errors: the work's, and a timeout.
 */
async function onReplica<T>(
  replica: Database,
  position: string,
  work: (db: Database) => Promise<T>,
): Promise<{ answer: T } | null> {
  const late = Promise.withResolvers<never>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    late.reject(new Error(`The replica did not answer within ${REPLICA_MS} ms`));
  }, REPLICA_MS);
  const reading = replica.connection().execute(async (db) => {
    const has = await hasReplayedSoon(db, position);
    clearTimeout(timer);
    return has && !isLate ? { answer: await work(db) } : null;
  });
  return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer));
}

async function hasReplayedSoon(replica: Database, position: string): Promise<boolean> {
  for (let attempt = 0; attempt < REPLICA_TRIES; attempt++) {
    if (await hasReplayed(replica, position)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

/** Everything committed stands before this position. Source: PostgreSQL 18, §9.28.3. */
async function positionOf(primary: Database): Promise<string> {
  const { rows } = await sql<{
    position: string;
  }>`select pg_current_wal_lsn()::text as position`.execute(primary);
  return rows[0]?.position ?? "";
}

/** A promoted replica has its own log. */
async function hasReplayed(replica: Database, position: string): Promise<boolean> {
  const { rows } = await sql<{ follows: boolean; has: boolean }>`
    select pg_is_in_recovery() as follows, coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) as has`.execute(
    replica,
  );
  if (rows[0]?.follows !== true)
    throw new Error("DATABASE_READ_URL leads to a server that follows no other");
  return rows[0].has;
}
