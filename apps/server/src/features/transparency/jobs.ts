import type { Transparency } from "./create-transparency.ts";
import { CHECKPOINT_JOB } from "./request-checkpoint.ts";

const EVERY_HOUR = "47 * * * *";
/** Completions of one moment are taken together: they share a checkpoint. */
const SHARED = 40;
const FOR_EVER = 1_000_000;

/** Registers the checkpoint after each completion, and hourly when something changed. Without a time-stamping authority it is tried until there is one. */
export function registerTransparencyJobs({ deps, checkpoint }: Transparency): void {
  const { queue } = deps.platform;
  queue.handle(
    CHECKPOINT_JOB,
    { concurrency: SHARED, retryLimit: FOR_EVER, retryDelayS: 5, retryDelayMaxS: 300, expireInS: 600 },
    checkpoint,
  );
  queue.schedule("hourly-checkpoint", EVERY_HOUR, checkpoint);
}
