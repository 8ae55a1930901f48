import type { Transaction } from "../../../platform/database/database.ts";
import type { Platform } from "../../../platform/platform.ts";

export const CHECKPOINT_JOB = "make-checkpoint";
/** What ends within these moments shares one checkpoint: one signature, one time-stamp. */
const SHARED_MS = 2_000;

/** Asks, in the transaction that completes an envelope, for a checkpoint that covers it once it is committed. */
export async function requestCheckpoint(trx: Transaction, platform: Pick<Platform, "queue" | "clock">): Promise<void> {
  // No key: two completions at once would wait for one another's commit at the queue's unique index.
  await platform.queue.enqueue(trx, CHECKPOINT_JOB, {}, { startAfter: new Date(platform.clock().getTime() + SHARED_MS) });
}
