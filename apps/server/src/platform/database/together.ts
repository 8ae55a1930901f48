import { isRetryable, sqlState } from "./in-transaction.ts";

/**
 * in_failed_sql_transaction, and invalid_sql_statement_name: another statement failed before this one, which was not run, or not prepared for the one
 * after it of the same text.
 */
const CONSEQUENCES = new Set(["25P02", "26000"]);

/**
 * Waits for work of one transaction that was begun together, so that its statements made one journey (`PipeliningExecutor`), and gives its outcomes.
 * Unlike `Promise.all` it waits for all of it before it throws: nothing of it may still be sent once the transaction has gone back.
 * Of several failures it throws the one that the others come from: what asks for the transaction to be tried again first.
 */
export async function together<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const outcomes = await Promise.allSettled(work as readonly Promise<unknown>[]);
  const failures = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  if (failures.length > 0)
    throw (
      failures.find(isRetryable) ??
      failures.find((reason) => !CONSEQUENCES.has(sqlState(reason))) ??
      failures[0]
    );
  return outcomes.map(
    (outcome) => (outcome as PromiseFulfilledResult<unknown>).value,
  ) as unknown as T;
}
