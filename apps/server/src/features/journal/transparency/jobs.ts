import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { copyPlaces } from "./copies.ts";
import type { Transparency } from "./create-transparency.ts";
import { CHECKPOINT_JOB } from "./make-checkpoint.ts";

const COPY_JOB = "copy-checkpoints";
const EVERY_HOUR = "47 * * * *";
/** Retries what a place outside missed. */
const EVERY_FIVE_MINUTES = "*/5 * * * *";
/** Concurrent completions share a checkpoint. */
const SHARED = 40;
const FOR_EVER = 1_000_000;

/**
 * After each completion and hourly; retried without a time-stamping authority. Copies have their
 * own job: a hanging store delays no checkpoint.
 */
export function registerTransparencyJobs({ deps, checkpoint, copy }: Transparency): void {
  const { queue, db } = deps.platform;
  const hasPlaces = copyPlaces(deps.platform).length > 0;
  const make = async () => {
    await checkpoint();
    if (hasPlaces)
      await inTransaction(db, (trx) =>
        queue.enqueue(trx, COPY_JOB, {}, { singletonKey: COPY_JOB }),
      );
  };
  queue.handle(
    CHECKPOINT_JOB,
    {
      concurrency: SHARED,
      retryLimit: FOR_EVER,
      retryDelayS: 5,
      retryDelayMaxS: 300,
      expireInS: 600,
    },
    make,
  );
  queue.handle(
    COPY_JOB,
    { concurrency: 1, retryLimit: 3, retryDelayS: 5, retryDelayMaxS: 60, expireInS: 600 },
    copy,
  );
  queue.schedule("hourly-checkpoint", EVERY_HOUR, make);
  queue.schedule("copy-checkpoints-again", EVERY_FIVE_MINUTES, copy);
}
