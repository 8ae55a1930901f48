import {
  DefaultConnectionProvider,
  Kysely,
  PostgresDialect,
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
import { failTogether } from "./fail-together.ts";
import { PipeliningExecutor } from "./pipelining-executor.ts";
import { PreparingClient } from "./preparing-client.ts";
import type { DB } from "./schema.generated.ts";

/** Every table and column, as the migrations make them. */
export type Schema = DB;
export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;
/** What a read needs: inside a transaction or not. */
export type Reader = Database | Transaction;

export type DatabaseOptions = {
  readonly maxConnections?: number;
  /** The role that every connection acts as; whoever the address logs in as without. */
  readonly role?: string | null;
  /** How long a statement may take, and wait for a lock; without, it is waited for (migrations). Milliseconds. */
  readonly limits?: StatementLimits;
  /** The server is a replica: that it follows another one is no reason to leave it. */
  readonly mayFollow?: boolean;
  readonly onConnectionLost?: (error: Error) => void;
  /** Changes could not be announced to the other processes; they are again. */
  readonly onUnannounced?: (error: unknown) => void;
};

export type StatementLimits = { readonly statementMs: number; readonly lockMs: number };

/** A server that answers no more holds the end of a process no longer than this. */
const ANSWER_MS = 5_000;

/** Gives a pool of connections to this address (`postgres://…`), which announces what is changed through it. `destroy()` closes it. */
export function connectDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = createPool(url, options);
  const dialect = new PostgresDialect({ pool });
  const driver = dialect.createDriver();
  // Nothing but the taking of the pool, done before it returns.
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

/** Kysely tells nobody of its pool. */
const pools = new WeakMap<Database, pg.Pool>();

/** Gives how many connections of a database are idle and busy, and how much work waits for one. */
export function poolUse(database: Database): Readonly<Record<"idle" | "busy" | "waiting", number>> {
  const { idleCount = 0, totalCount = 0, waitingCount = 0 } = pools.get(database) ?? {};
  return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
}

/** Options of the client, which the pool hands to it. `pipeline`: a query is sent without waiting for the answer to the one before. */
const ofClient = ({ mayFollow = false }: DatabaseOptions) => ({
  Client: PreparingClient,
  pipeline: true,
  mayFollow,
});

/**
 * What a pool of connections outlives: a server that fell silent is found out, and one that another took over from is left (every connection is made
 * anew within ten minutes, by the name of the day).
 */
export const LASTING = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  maxLifetimeSeconds: 600,
} as const;
/** A server that is there has ended a statement by then; one that has not is given up with the connection, so that whoever asked is answered within ten seconds. */
const LATE_MS = 1_000;
/** Work waits this long for one of the pool's connections. */
const WAIT_MS = 9_000;
/** A process that stands still, or is gone without a word, keeps its locks no longer. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * The server ends a statement itself, the connection lives on. Given as the connection is made (docs/operations/pooler.md), since what a session sets holds for
 * one transaction behind a pooler that shares connections.
 */
const withinLimits = ({ statementMs, lockMs }: StatementLimits) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  query_timeout: statementMs + LATE_MS,
});

/** Gives the `pg` pool behind a database. */
export function createPool(url: string, options: DatabaseOptions = {}): pg.Pool {
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
  // The pool listens to a connection while it lies idle only; cut by the server inside a transaction, it would end the process.
  pool.on("connect", (client) => listenForLoss(client, options));
  pool.on("release", (_error, client) => {
    if (client instanceof PreparingClient && client.isStale()) void client.end();
  });
  // Told of an idle one too, the pool replaces it at the next query; that was reported by its own listener.
  pool.on("error", () => {});
  return pool;
}

/** A connection that may not act as the role serves nobody; one that logs in as it has nothing to ask for. Source: pg-pool, `onConnect`. */
function actingAs(role: string | null, url: string) {
  return role === null || new URL(url).username === role
    ? {}
    : {
        onConnect: (client: pg.ClientBase) => client.query(`set role ${pg.escapeIdentifier(role)}`),
      };
}

/**
 * What is committed until the pool's last connection has ended is announced, at the end on a connection of its own: the pool gives none any more. What
 * it was giving one for is waited for, because an ending pool serves nobody who waits.
 */
function announceThrough(pool: pg.Pool, url: string, { onUnannounced }: DatabaseOptions): void {
  let isEnding = false;
  let last: Promise<unknown> = Promise.resolve();
  const announcer = createChangeAnnouncer(
    (told) => {
      if (isEnding) return announceAlone(url, told);
      last = pool.query(ANNOUNCE_SQL, announceValues(told));
      return last;
    },
    (error) => onUnannounced?.(error),
  );
  pool.on("connect", (client) => {
    if (client instanceof PreparingClient) hearCommitted(client, announcer.add);
  });
  const end = pool.end.bind(pool);
  pool.end = (async () => {
    isEnding = true;
    await last.catch(() => {});
    await end();
    await announcer.rest();
  }) as typeof pool.end;
}

async function announceAlone(url: string, told: readonly Announcement[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // Told of by the call that fails.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(ANNOUNCE_SQL, announceValues(told));
  } finally {
    await client.end();
  }
}

/** One lost connection says so several times. */
function listenForLoss(client: pg.PoolClient, { onConnectionLost }: DatabaseOptions): void {
  let isLost = false;
  client.on("error", (error) => {
    if (!isLost) onConnectionLost?.(error);
    isLost = true;
  });
}

const INT8 = 20;
const DATE = 1082;

/** bigint columns hold sizes and counts, below 2^53: numbers. Calendar dates stay text: a `Date` would move with the time zone. */
function parserOf(oid: number, format?: "text" | "binary"): unknown {
  if (format !== "binary" && oid === INT8) return Number;
  if (format !== "binary" && oid === DATE) return (text: string) => text;
  return pg.types.getTypeParser(oid, format as "text");
}
