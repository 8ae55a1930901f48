import { BATCH_ARCHIVE_DAYS, idSchema } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";

export const RUN_JOB = "run-batch";
export const runPayload = z.strictObject({ batch_id: idSchema });

/** Enqueues the signing in the transaction that made or reopened the batch. */
export async function enqueueRun(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "newId">,
  run: { readonly batchId: string; readonly startAfter?: Date },
): Promise<void> {
  const { batchId, ...rules } = run;
  // Unique: the slice that runs enqueues the next one.
  await platform.queue.enqueue(
    trx,
    RUN_JOB,
    { batch_id: batchId },
    { ...rules, singletonKey: `${batchId}:${platform.newId()}` },
  );
}

/** Enqueues every unfinished batch, so that one left by a crash resumes at once. */
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

/** Batches that ended before this moment have expired. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - BATCH_ARCHIVE_DAYS * 86_400_000);
}
