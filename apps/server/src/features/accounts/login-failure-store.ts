import { type Reader, type Transaction } from "../../platform/database/database.ts";
import type { LoginFailures } from "./domain/limits.ts";

/** The row stays locked until the transaction ends. */
export async function lockFailures(
  trx: Transaction,
  start: { key: string; now: Date },
): Promise<LoginFailures> {
  // Without a row to lock, two first tries would both see none.
  await trx
    .insertInto("login_failures")
    .values({ key: start.key, failures: 0, window_start: start.now })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const row = await trx
    .selectFrom("login_failures")
    .select(["failures", "window_start", "locked_until"])
    .where("key", "=", start.key)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { failures: row.failures, windowStart: row.window_start, lockedUntil: row.locked_until };
}

export async function saveFailures(
  trx: Transaction,
  state: LoginFailures & { key: string },
): Promise<void> {
  await trx
    .updateTable("login_failures")
    .set({
      failures: state.failures,
      window_start: state.windowStart,
      locked_until: state.lockedUntil,
    })
    .where("key", "=", state.key)
    .execute();
}

export async function forgetFailures(reader: Reader, key: string): Promise<void> {
  await reader.deleteFrom("login_failures").where("key", "=", key).execute();
}

export async function takeBackTry(reader: Reader, key: string): Promise<void> {
  await reader
    .updateTable("login_failures")
    .set((eb) => ({
      failures: eb.fn("greatest", [eb("failures", "-", 1), eb.lit(0)]),
      locked_until: null,
    }))
    .where("key", "=", key)
    .execute();
}

export async function deleteOldFailures(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("login_failures").where("window_start", "<", before).execute();
}
