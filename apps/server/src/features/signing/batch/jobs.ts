import { BATCH_ARCHIVE_DAYS, idSchema } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";

export const RUN_JOB = "run-batch";
export const runPayload = z.strictObject({ batch_id: idSchema });

/** Asks, in the transaction that made or reopened a batch, for its files to be signed. */
export async function enqueueRun(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "newId">,
  run: { readonly batchId: string; readonly startAfter?: Date },
): Promise<void> {
  const { batchId, ...rules } = run;
  // A key of its own: the slice that runs asks for the next one.
  await platform.queue.enqueue(
    trx,
    RUN_JOB,
    { batch_id: batchId },
    { ...rules, singletonKey: `${batchId}:${platform.newId()}` },
  );
}

/** Asks for every batch that has not ended: what a process that died left is taken up at once. */
export async function enqueueAllRuns(
  platform: Pick<Platform, "db" | "queue" | "newId">,
  batchIds: readonly string[],
): Promise<void> {
  for (const batchId of batchIds)
    await inTransaction(platform.db, async (trx) => {
      await platform.queue.enqueue(
        trx,
        RUN_JOB,
        { batch_id: batchId },
        { singletonKey: `${batchId}:resumed` },
      );
    });
}

/** Batches that ended before this moment are gone. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - BATCH_ARCHIVE_DAYS * 86_400_000);
}
