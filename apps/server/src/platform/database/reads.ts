import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Log } from "../logs/log.ts";
import { outageOf } from "../error-code.ts";
import type { Database } from "./database.ts";

/** Reads on a replica that has all earlier commits, else on the primary. */
export type Reads = <T>(work: (db: Database) => Promise<T>) => Promise<T>;

/** Replicas are milliseconds behind; a slower one is not awaited. */
const TRIES = 5;
const PAUSE_MS = 5;
const ANSWER_MS = 500;
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
    late.reject(new Error(`The replica did not answer within ${ANSWER_MS} ms`));
  }, ANSWER_MS);
  const reading = replica.connection().execute(async (db) => {
    const has = await hasReplayedSoon(db, position);
    clearTimeout(timer);
    return has && !isLate ? { answer: await work(db) } : null;
  });
  return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer));
}

async function hasReplayedSoon(replica: Database, position: string): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
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
