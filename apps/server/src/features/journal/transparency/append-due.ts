import type { Database, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { countLeaves, type DueRow, holdLog, insertLeaves, selectDue, strikeDue } from "./store.ts";

/** Heads taken in one transaction. */
const BATCH = 5_000;

/** Appends a leaf for the head of each journal that has grown, in the order in which they did; all of those committed by now. The database builds the tree above. */
export async function appendDue(db: Database): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last;
    last = await inTransaction(db, (trx) => appendBatch(trx, after));
  }
}

/** Appends one batch. Gives the number of its last head, or null when it was the last batch. */
async function appendBatch(trx: Transaction, after: number): Promise<number | null> {
  await holdLog(trx);
  const listed = await selectDue(trx, { after, limit: BATCH });
  // Somebody with the database in hand may have listed heads of no event.
  const due = listed.filter(({ isEvent }) => isEvent);
  // Of a journal that grew several times, its head alone: it stands for what came before.
  const heads = new Map<string, DueRow["entry"]>();
  for (const { entry, isLogged } of due)
    if (!isLogged && (heads.get(entry.envelope_id)?.sequence ?? 0) < entry.sequence) heads.set(entry.envelope_id, entry);
  const size = await countLeaves(trx);
  await insertLeaves(
    trx,
    [...heads.values()].map((entry, place) => ({ leafIndex: size + place, entry })),
  );
  await strikeDue(
    trx,
    due.map(({ number }) => number),
  );
  return listed.length < BATCH ? null : (listed.at(-1)?.number ?? null);
}
