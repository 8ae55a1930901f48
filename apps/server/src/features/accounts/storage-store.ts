import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** The folded sum plus the changes since. */
export async function selectUsedBytes(reader: Reader, ownerId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from storage_changes where owner_id = ${ownerId}::uuid`.execute(
    reader,
  );
  return rows[0]?.bytes ?? 0;
}

/** Serialises one account's uploads; signing does not wait. */
export async function lockRoom(trx: Transaction, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('storage:' || ${ownerId}, 0))`.execute(
    trx,
  );
}

/** Replaces each account's changes by their sum, atomically. */
export async function foldChanges(reader: Reader): Promise<void> {
  await sql`
    with gone as (
      delete from storage_changes where owner_id in (select owner_id from storage_changes where not folded) returning owner_id, bytes
    )
    insert into storage_changes (owner_id, bytes, folded) select owner_id, sum(bytes), true from gone group by owner_id`.execute(
    reader,
  );
}
