import { isRetryable, sqlState } from "./in-transaction.ts";

/**
 * in_failed_sql_transaction and invalid_sql_statement_name: another statement failed before this
 * one, which was not run, or not prepared for the one after it of the same text.
 */
const CONSEQUENCES = new Set(["25P02", "26000"]);

type Work = Readonly<Record<string, Promise<unknown>>>;
type Results<W extends Work> = { readonly [K in keyof W]: Awaited<W[K]> };

/**
 * Waits for statements of one transaction that were begun at once, so that they make one journey
 * (`PipeliningExecutor`): `inParallel({ owner, fields })` gives their results by name, a list none.
 * It waits for all of them before it throws: none may still be sent after the rollback.
 * Errors: of several failures the cause of the others, one that asks for another try first.
 */
export function inParallel(writes: readonly Promise<unknown>[]): Promise<void>;
export function inParallel<W extends Work>(work: W): Promise<Results<W>>;
export async function inParallel(work: Work | readonly Promise<unknown>[]): Promise<unknown> {
  const values = await outcomesOf(Object.values(work));
  return Array.isArray(work)
    ? undefined
    : Object.fromEntries(Object.keys(work).map((name, index) => [name, values[index]]));
}

async function outcomesOf(work: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  if (failures.length > 0)
    throw (
      failures.find(isRetryable) ??
      failures.find((reason) => !CONSEQUENCES.has(sqlState(reason))) ??
      failures[0]
    );
  return outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : undefined));
}
