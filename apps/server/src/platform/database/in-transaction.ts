import { setTimeout as sleep } from "node:timers/promises";
import { isStalePlan, sqlState } from "../error-code.ts";
import type { Database, Transaction } from "./database.ts";

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

/**
 * in_failed_sql_transaction, and invalid_sql_statement_name: the statement was not run, or not prepared for the next one of the same text,
 * because another one failed before it.
 */
const CONSEQUENCES = new Set(["25P02", "26000"]);

/**
 * Waits for statements of one transaction that were begun in this order and travel together (`PipeliningExecutor`); gives their results by name.
 * Unlike `Promise.all` it waits for all of them before it throws: none may still be sent once the transaction is rolled back.
 * Of several failures it throws the cause of the others, preferring one for which PostgreSQL asks to try again.
 */
export async function inParallel<
  T extends Readonly<Record<string, Promise<unknown>>> | readonly Promise<unknown>[],
>(work: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(Object.values<Promise<unknown>>(work));
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  if (failures.length > 0)
    throw (
      failures.find(isRetryable) ??
      failures.find((reason) => !CONSEQUENCES.has(sqlState(reason))) ??
      failures[0]
    );
  const results = outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value);
  const named = Array.isArray(work)
    ? results
    : Object.fromEntries(Object.keys(work).map((name, index) => [name, results[index]]));
  return named as { -readonly [K in keyof T]: Awaited<T[K]> };
}
