import type { BatchStatus } from "@paraphe/contracts";
import type { Batch, BatchCounts } from "./batch.ts";

/**
 * Gives the state of a batch as its owner reads it. `done` counts successes; a batch that was cancelled stays so, whatever was signed before;
 * `partial`: some are signed, some are not.
 */
export function batchStatus(batch: Pick<Batch, "startedAt" | "cancelledAt" | "finishedAt">, counts: BatchCounts): BatchStatus {
  if (batch.finishedAt === null) return batch.startedAt === null ? "queued" : "running";
  if (batch.cancelledAt !== null && counts.cancelled > 0) return "cancelled";
  if (counts.done === counts.total) return "completed";
  return counts.done === 0 ? "failed" : "partial";
}
