import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Makes what concerns one address wait for its turn, until the transaction ends: there may be no row yet that could be locked. */
export async function holdAddress(trx: Transaction, emailKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`address:${emailKey}`}, 0))`.execute(trx);
}

/** Gives the id of the activated account of an address, closed ones included, or null. */
export async function findActivated(reader: Reader, emailKey: string): Promise<string | null> {
  const row = await reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is not", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Gives the ids of the registrations of an address that nobody activated, newest first. */
export async function listPending(
  reader: Reader,
  which: { readonly emailKey: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await pendingOf(reader, which.emailKey).limit(which.limit).execute();
  return rows.map((row) => row.id);
}

/** Removes the registrations of an address that nobody activated, but for the newest. */
export async function deleteOldestPending(trx: Transaction, which: { readonly emailKey: string; readonly kept: number }): Promise<void> {
  await trx.deleteFrom("users").where("id", "in", pendingOf(trx, which.emailKey).offset(which.kept)).execute();
}

function pendingOf(reader: Reader, emailKey: string) {
  return reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey)
    .where("activated_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

/** Removes the registrations of an address that nobody activated. */
export async function deletePending(trx: Transaction, emailKey: string): Promise<void> {
  await trx.deleteFrom("users").where("email_key", "=", emailKey).where("activated_at", "is", null).execute();
}
