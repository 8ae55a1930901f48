import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { requestCheckpoint } from "../../journal/public.ts";
import type { BatchDeps } from "./create-batches.ts";
import {
  RUN_JOB,
  enqueueAllRuns,
  enqueueRun,
  keptSince,
  removeBatch,
  runPayload,
} from "./change-batch.ts";
import { runBatch } from "./run-batch.ts";
import { selectEndedBefore, selectUnfinished } from "./store.ts";

const FOR_EVER = 1_000_000;
const EVERY_TEN_MINUTES = "*/10 * * * *";
const EVERY_NIGHT = "20 3 * * *";
const PAGE = 100;
/** Wait before files that another process signs are looked at again. */
const OTHERS_MS = 1_000;

export function registerBatchJobs(deps: BatchDeps): void {
  const { platform } = deps;
  // Slices run one at a time, so that batches take turns.
  platform.queue.handle(
    RUN_JOB,
    { concurrency: 1, retryLimit: FOR_EVER, retryDelayS: 2, retryDelayMaxS: 60, expireInS: 1_800 },
    async (payload) => {
      const { batch_id } = runPayload.parse(payload);
      const outcome = await runBatch(deps, batch_id);
      const later =
        outcome === "later" ? { startAfter: new Date(platform.clock().getTime() + OTHERS_MS) } : {};
      await inTransaction(platform.db, async (trx) => {
        await requestCheckpoint(trx, platform);
        if (outcome !== "ended") await enqueueRun(trx, platform, { batchId: batch_id, ...later });
      });
    },
  );
  platform.queue.schedule("resume-batches", EVERY_TEN_MINUTES, () => resumeBatches(deps));
  platform.queue.schedule("end-batches", EVERY_NIGHT, () => endBatches(deps));
}

/** Runs at start and periodically; never throws. */
export async function resumeBatches({ platform }: BatchDeps): Promise<void> {
  try {
    await enqueueAllRuns(platform, await selectUnfinished(platform.db));
  } catch (error) {
    platform.log.warn({ error }, "the batches to take up could not be listed");
  }
}

/** Removes expired batches; their envelopes stay. */
export async function endBatches({ platform }: BatchDeps): Promise<void> {
  for (;;) {
    const batches = await selectEndedBefore(platform.db, keptSince(platform.clock()), PAGE);
    for (const batchId of batches) await removeBatch(platform, batchId);
    if (batches.length < PAGE) return;
  }
}
