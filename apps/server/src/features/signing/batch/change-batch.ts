import {
  BATCH_ARCHIVE_DAYS,
  type Result,
  failure,
  idSchema,
  problem,
  success,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { dropBlobs } from "../../documents/public.ts";
import type { BatchDeps } from "./create-batches.ts";
import { type BatchWithItems, type OwnBatch, readBatch } from "./read-batches.ts";
import {
  cancelQueued,
  deleteBatch,
  finishBatch,
  lockBatch,
  markCancelled,
  reopenBatch,
  requeueItems,
  selectOwned,
} from "./store.ts";

type CancelDeps = Pick<BatchDeps, "platform" | "cancelled">;

/** Files being signed are still completed. Errors: `not_found`. */
export async function cancelBatch(
  { platform, cancelled }: CancelDeps,
  of: OwnBatch,
): Promise<Result<BatchWithItems>> {
  const result = await inTransaction(platform.db, async (trx) => {
    const batch = await lockBatch(trx, of);
    if (batch === null) return failure(problem("not_found"));
    if (batch.finishedAt !== null) return readBatch(trx, of);
    const now = platform.clock();
    await markCancelled(trx, batch.id, now);
    await cancelQueued(trx, batch.id, now);
    await finishBatch(trx, batch.id, now);
    return readBatch(trx, of);
  });
  if (result.ok && result.value.batch.finishedAt === null) cancelled.add(of.id);
  return result;
}

/**
 * Queues failed or cancelled files again, under the same consent; `accept_copies` extends it to
 * corrected copies.
 * Errors: `not_found`, `batch_running`, `nothing_to_retry`.
 */
export async function retryBatch(
  platform: Platform,
  {
    items,
    acceptsCopies,
    ...of
  }: OwnBatch & { readonly items: readonly number[] | null; readonly acceptsCopies: boolean },
): Promise<Result<BatchWithItems>> {
  return inTransaction(platform.db, async (trx) => {
    const batch = await lockBatch(trx, of);
    if (batch === null) return failure(problem("not_found"));
    if (batch.finishedAt === null) return failure(problem("batch_running"));
    const copiesAcceptedAt = acceptsCopies ? platform.clock() : null;
    if ((await requeueItems(trx, batch.id, { positions: items, copiesAcceptedAt })) === 0)
      return failure(problem("nothing_to_retry"));
    await reopenBatch(trx, batch.id);
    await enqueueRun(trx, platform, { batchId: batch.id });
    const read = await readBatch(trx, of);
    return read.ok ? success(read.value) : read;
  });
}

/** Removes the batch and files that nothing else needs; its envelopes stay. Idempotent. */
export async function removeBatch(
  platform: Pick<Platform, "db" | "queue">,
  batchId: string,
): Promise<void> {
  await inTransaction(platform.db, async (trx) =>
    dropBlobs(trx, platform, await deleteBatch(trx, batchId)),
  );
}

/** Idempotent. */
export async function eraseOwnedBatches(
  platform: Pick<Platform, "db" | "queue">,
  ownerId: string,
): Promise<void> {
  for (const batchId of await selectOwned(platform.db, ownerId))
    await removeBatch(platform, batchId);
}

export const RUN_JOB = "run-batch";
export const runPayload = z.strictObject({ batch_id: idSchema });

/** Joins the transaction that made or reopened the batch. */
export async function enqueueRun(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "newId">,
  run: { readonly batchId: string; readonly startAfter?: Date },
): Promise<void> {
  const { batchId, ...rules } = run;
  await platform.queue.enqueue(
    trx,
    RUN_JOB,
    { batch_id: batchId },
    { ...rules, singletonKey: `${batchId}:${platform.newId()}` },
  );
}

/** A crash may have lost a run: this restarts them all. */
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

export function keptSince(now: Date): Date {
  return new Date(now.getTime() - BATCH_ARCHIVE_DAYS * 86_400_000);
}
