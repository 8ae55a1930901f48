import type { LogEntry } from "@paraphe/contracts";
import { createTree } from "@paraphe/proof";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { leafOf } from "./leaf-of.ts";
import { readSubtrees } from "./read-ranges.ts";
import { countLeaves, holdLog, insertLeaves, insertNodes, takeDue } from "./store.ts";

/** Heads taken in one transaction. */
const BATCH = 5_000;

/** Appends a leaf for the head of each journal that has grown, in the order in which they did; all of those committed by now. */
export async function appendDue(db: Database): Promise<void> {
  for (let taken = BATCH; taken === BATCH; ) taken = await inTransaction(db, appendBatch);
}

async function appendBatch(trx: Transaction): Promise<number> {
  await holdLog(trx);
  const due = await takeDue(trx, BATCH);
  if (due.length === 0) return 0;
  // Of a journal that grew several times, its head alone: it stands for what came before.
  const heads = new Map<string, LogEntry>();
  for (const { entry } of due) if ((heads.get(entry.envelope_id)?.sequence ?? 0) < entry.sequence) heads.set(entry.envelope_id, entry);
  const size = await countLeaves(trx);
  const [hashes = []] = await readSubtrees(trx, [{ start: 0, end: size }]);
  const tree = createTree({ size, hashes });
  const leaves = [...heads.values()].map((entry, place) => ({ leafIndex: size + place, entry }));
  const nodes = leaves.flatMap(({ entry }) => tree.append(leafOf(entry)));
  await insertLeaves(trx, leaves);
  await insertNodes(
    trx,
    nodes.filter(({ level }) => level > 0),
  );
  return due.length;
}
