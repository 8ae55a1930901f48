import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { BatchDeps } from "./create-batches.ts";
import { endBatch } from "./end-batch.ts";
import { GROUP, LANES } from "./domain/lanes.ts";
import { beginBatch, isCancelled, type RunningBatch } from "./run-store.ts";
import { signNextGroup } from "./sign-group.ts";
import { cancelQueued } from "./store.ts";

/** Files signed before another batch has its turn: some seconds. */
const SLICE = 100;

/** `more`: files wait still; `later`: those that do are another process's; `ended`: none does. */
export type RunOutcome = "more" | "later" | "ended";

/**
 * Signs files of a batch, some groups at a time, until its slice is over. It may run in several processes at once: no file is taken twice.
 * Throws when signing cannot go on for now; what was signed stays.
 */
export async function runBatch(deps: BatchDeps, batchId: string): Promise<RunOutcome> {
  const { platform } = deps;
  const batch = await beginBatch(platform.db, batchId, platform.clock());
  if (batch === null) return ended(deps, batchId);
  // Taken up again since.
  if (batch.cancelledAt === null) deps.cancelled.delete(batchId);
  const isOver = await runSlice(deps, batch);
  if (!isOver) return "more";
  if (await isCancelled(platform.db, batchId)) {
    // A file whose signature could not be made had not been let go by the cancellation.
    await inTransaction(platform.db, (trx) => cancelQueued(trx, batchId, platform.clock()));
  }
  const hasEnded = await inTransaction(platform.db, (trx) => endBatch(trx, platform, batchId));
  return hasEnded ? ended(deps, batchId) : "later";
}

function ended({ signers, cancelled }: BatchDeps, batchId: string): "ended" {
  signers.delete(batchId);
  cancelled.delete(batchId);
  return "ended";
}

/** Runs the lanes; says whether no file waits that could be taken. When one lane cannot go on, the others end what they have begun. */
async function runSlice(deps: BatchDeps, batch: RunningBatch): Promise<boolean> {
  let taken = 0;
  let isBroken = false;
  const runLane = async (lane: number): Promise<boolean> => {
    while (taken < SLICE && !isBroken && !deps.stop.asked) {
      const most = Math.min(GROUP, SLICE - taken);
      taken += most;
      try {
        if ((await signNextGroup(deps, { batch, lane, most })) === 0) return true;
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
    return false;
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
  return lanes.every((lane) => lane.status === "fulfilled" && lane.value);
}
