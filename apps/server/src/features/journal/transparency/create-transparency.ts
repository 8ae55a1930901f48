import type { Reading } from "../../../platform/metrics/metrics.ts";
import type { Platform } from "../../../platform/platform.ts";
import { copyOutside, readCopyProgress, copyPlaces } from "./copies.ts";
import { type TransparencyDeps, makeCheckpoint, CHECKPOINT_JOB } from "./make-checkpoint.ts";
import { selectLogProgress } from "./store.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";

/** Callers during a run share the next one, which begins after their call. */
function createSharedRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running
      // The previous run's error is for its own callers.
      .catch(() => {})
      .then(() => {
        running = next ?? running;
        next = null;
        return work();
      });
    return next;
  };
}

type Transparency = {
  readonly deps: TransparencyDeps;
  /**
   * Covers all that was committed before the call; concurrent calls share a run. Throws as
   * `makeCheckpoint` does.
   */
  checkpoint(): Promise<void>;
  copy(): Promise<void>;
};

export function createTransparency(deps: TransparencyDeps): Transparency {
  return {
    deps,
    checkpoint: createSharedRun(async () => void (await makeCheckpoint(deps))),
    copy: createSharedRun(() => copyOutside(deps.platform)),
  };
}

/** Says whether the log grows and each place has it. */
export async function readLogHealth(platform: Platform): Promise<readonly Reading[]> {
  const { waiting, lastAt } = await selectLogProgress(platform.db);
  const places = await readCopyProgress(platform);
  const ofPlaces = (value: (place: (typeof places)[number]) => number): Reading["values"] =>
    places.map((place) => ({ labels: { place: place.kind }, value: value(place) }));
  return [
    {
      name: "paraphe_log_waiting_heads",
      help: "Heads of journals that no checkpoint covers yet.",
      values: [{ value: waiting }],
    },
    {
      name: "paraphe_checkpoint_timestamp_seconds",
      help: "When the last checkpoint was made; 0 before the first.",
      values: [{ value: secondsOf(lastAt) }],
    },
    {
      name: "paraphe_checkpoint_copy_failing",
      help: "1 while checkpoints cannot be copied there.",
      values: ofPlaces(({ failingSince }) => (failingSince === null ? 0 : 1)),
    },
    {
      name: "paraphe_checkpoint_copy_missing",
      help: "Checkpoints that are not there yet.",
      values: ofPlaces(({ missing }) => missing),
    },
    {
      name: "paraphe_checkpoint_copy_timestamp_seconds",
      help: "When one was last copied there; 0 before the first.",
      values: ofPlaces(({ copiedAt }) => secondsOf(copiedAt)),
    },
  ];
}

function secondsOf(moment: Date | null): number {
  return moment === null ? 0 : Math.round(moment.getTime() / 1_000);
}

const COPY_JOB = "copy-checkpoints";
const EVERY_HOUR = "47 * * * *";
/** Retries what an outside place missed. */
const EVERY_FIVE_MINUTES = "*/5 * * * *";
const SHARED = 40;
const FOR_EVER = 1_000_000;

/**
 * Runs after each completion and hourly; retried while no time-stamping authority answers. Copies
 * have their own job: a store that hangs delays no checkpoint.
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
