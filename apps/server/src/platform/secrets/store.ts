import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";

export async function loadDataKey(db: Database): Promise<Uint8Array | null> {
  return (await db.selectFrom("data_key").select("wrapped").executeTakeFirst())?.wrapped ?? null;
}

/** The first one written stays. */
export async function insertDataKey(db: Database, wrapped: Uint8Array): Promise<void> {
  await db
    .insertInto("data_key")
    .values({ wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function replaceDataKey(db: Database, wrapped: Uint8Array): Promise<void> {
  await db.updateTable("data_key").set({ wrapped }).execute();
}

/**
 * Serialises opening and replacing the data key: its row and the master key's file change one after
 * the other.
 */
export function whileAloneWithKeys<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('data-key', 0))`.execute(trx);
    // On other connections: the row is committed before the file is renamed.
    return work();
  });
}
