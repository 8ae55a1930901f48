import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Transaction } from "./database.ts";
import { isStalePlan } from "./is-stale-plan.ts";

/** serialization_failure and deadlock_detected: PostgreSQL asks for the whole transaction to be tried again. Source: PostgreSQL 18, §13.5. */
const RETRYABLE = new Set(["40001", "40P01"]);
const TRIES = 5;
const FIRST_DELAY_MS = 10;
/** More than a pool holds connections: each such try takes one out of it. */
const STALE_TRIES = 100;

/**
 * Runs the work in one transaction and gives its outcome; runs it again when PostgreSQL refused it for a conflict with another, or because a table was
 * changed since its statements were prepared.
 * The work may therefore run several times. It waits for nothing but the database and the store: what takes the sandbox or another service is made
 * before, and committed if what it was made of is still so. Files stored under their hash may be left behind: the sweep removes what no row names.
 */
export async function inTransaction<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let stale = 0;
  for (let attempt = 1; ; ) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (isStalePlan(error) && ++stale < STALE_TRIES) continue;
      if (attempt === TRIES || !RETRYABLE.has(sqlState(error))) throw error;
      await sleep(FIRST_DELAY_MS * 2 ** attempt++ * (0.5 + Math.random()));
    }
  }
}

/** Tells whether PostgreSQL asks for the transaction to be tried again. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error)) || isStalePlan(error);
}

/** Gives the SQLSTATE of a PostgreSQL error, or an empty text. */
export function sqlState(error: unknown): string {
  return typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string"
    ? error.code
    : "";
}
