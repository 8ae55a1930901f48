import { type BatchJob, type BatchSummary, BATCH_ARCHIVE_DAYS, failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader } from "../../../platform/database/database.ts";
import type { Batch, BatchCounts, BatchItem } from "./domain/batch.ts";
import { batchStatus } from "./domain/batch-status.ts";
import { shownStatuses } from "./domain/shown-statuses.ts";
import { type CountedBatch, selectBatch, selectBatches, selectItems } from "./store.ts";

export type OwnBatch = { readonly id: string; readonly ownerId: string };
export type BatchWithItems = { readonly batch: Batch; readonly items: readonly BatchItem[] };

/** Gives a batch of one's own with its files. Errors: `not_found`. */
export async function readBatch(reader: Reader, of: OwnBatch): Promise<Result<BatchWithItems>> {
  const batch = await selectBatch(reader, of);
  return batch === null ? failure(problem("not_found")) : success({ batch, items: await selectItems(reader, batch.id) });
}

export function countItems(items: readonly BatchItem[]): BatchCounts {
  const count = (status: BatchItem["status"]) => items.filter((item) => item.status === status).length;
  return { total: items.length, done: count("done"), failed: count("failed"), cancelled: count("cancelled") };
}

export function presentBatch({ batch, items }: BatchWithItems): BatchJob {
  const counts = countItems(items);
  const shown = shownStatuses(
    batch,
    items.map((item) => item.status),
  );
  return {
    id: batch.id,
    status: batchStatus(batch, counts),
    total: counts.total,
    done: counts.done,
    failed: counts.failed,
    items: items.map((item, index) => ({
      name: item.name,
      status: shown[index] ?? item.status,
      detail: item.detail,
      code: item.status === "failed" ? item.failureCode : null,
      envelope_id: item.envelopeId,
    })),
  };
}

export type BatchPage = { readonly ownerId: string; readonly page: number; readonly page_size: number };

/** Gives a page of one's batches, the last one first. */
export async function listBatches(reader: Reader, { ownerId, page, page_size }: BatchPage) {
  const { count, rows } = await selectBatches(reader, { ownerId, limit: page_size, offset: (page - 1) * page_size });
  return { count, page, page_size, results: rows.map(presentSummary) };
}

function presentSummary({ batch, counts }: CountedBatch): BatchSummary {
  const end = batch.finishedAt;
  return {
    id: batch.id,
    title: batch.title,
    status: batchStatus(batch, counts),
    total: counts.total,
    done: counts.done,
    failed: counts.failed,
    created_at: batch.createdAt.toISOString(),
    finished_at: end?.toISOString() ?? null,
    available_until: end === null ? null : new Date(end.getTime() + BATCH_ARCHIVE_DAYS * 86_400_000).toISOString(),
  };
}
