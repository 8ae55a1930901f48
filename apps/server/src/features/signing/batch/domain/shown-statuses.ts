import type { BatchItemStatus } from "@paraphe/contracts";
import type { Batch, StoredItemStatus } from "./batch.ts";
import { GROUP, LANES } from "./lanes.ts";

/**
 * Gives the states of a batch's files, in their order. Files are taken in their order, a group for each lane: of a batch at work, those are the first
 * that have not ended.
 */
export function shownStatuses(
  batch: Pick<Batch, "startedAt" | "finishedAt" | "cancelledAt">,
  stored: readonly StoredItemStatus[],
): readonly BatchItemStatus[] {
  let running = batch.startedAt !== null && batch.finishedAt === null ? LANES * GROUP : 0;
  return stored.map((status) => {
    if (status !== "queued" || running === 0) return status;
    running -= 1;
    return "running";
  });
}
