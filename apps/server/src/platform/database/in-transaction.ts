import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "@paraphe/contracts";
import { STALE_TRIES, isStalePlan, sqlState } from "../error-code.ts";
import type { Database, Transaction } from "./database.ts";

/** serialization_failure, deadlock_detected. Source: PostgreSQL 18, §13.5. */
const RETRYABLE = new Set(["40001", "40P01"]);
const TRIES = 5;
const FIRST_DELAY_MS = 10;

type Open = { readonly db: Database; readonly afterwards: (() => void)[] };
const opened = new WeakMap<Transaction, Open>();

export function databaseOf(trx: Transaction): Database | null {
  return opened.get(trx)?.db ?? null;
}

export function afterCommit(trx: Transaction, work: () => void): void {
  opened.get(trx)?.afterwards.push(work);
}

/**
 * Repeats on a conflict or a stale statement. The work waits for database and store alone: other
 * results are made before, and committed if still current. Files that a lost try stored are swept.
 */
export async function inTransaction<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let stale = 0;
  for (let attempt = 1; ; ) {
    try {
      const afterwards: (() => void)[] = [];
      const result = await db.transaction().execute((trx) => {
        opened.set(trx, { db, afterwards });
        return work(trx);
      });
      for (const one of afterwards) one();
      return result;
    } catch (error) {
      if (isStalePlan(error) && ++stale < STALE_TRIES) continue;
      if (attempt === TRIES || !RETRYABLE.has(sqlState(error))) throw error;
      await sleep(FIRST_DELAY_MS * 2 ** attempt++ * (0.5 + Math.random()));
    }
  }
}

class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: unknown;

  constructor(refusal: unknown) {
    super("The work was refused");
    this.refusal = refusal;
  }
}

/** A refusal rolls everything back. */
export async function allOrNothing<T, E>(
  db: Database,
  work: (trx: Transaction) => Promise<Result<T, E>>,
): Promise<Result<T, E>> {
  try {
    return await inTransaction(db, async (trx) => {
      const result = await work(trx);
      if (!result.ok) throw new Refused(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Refused) return error.refusal as Result<T, E>;
    throw error;
  }
}

function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error)) || isStalePlan(error);
}

/** in_failed_sql_transaction, invalid_sql_statement_name: consequences of a failure. */
const CONSEQUENCES = new Set(["25P02", "26000"]);

/**
 * Runs statements of one transaction that travel together (`PipeliningExecutor`); results by name.
 * Unlike `Promise.all` it waits for all before it throws: none may follow the rollback. A retryable
 * cause comes first.
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
