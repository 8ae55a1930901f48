import { copyOutside } from "./copies.ts";
import { makeCheckpoint } from "./make-checkpoint.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

/**
 * Gives a function that runs this work, one run at a time. Who calls while one runs gets the next
 * one, shared by all who wait for it: each call has a run
 * that began after it.
 */
function createSharedRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running
      // How the one before ended is told to those who asked for it.
      .catch(() => {})
      .then(() => {
        running = next ?? running;
        next = null;
        return work();
      });
    return next;
  };
}

export type Transparency = {
  readonly deps: TransparencyDeps;
  /**
   * Makes a checkpoint of all that was committed before the call; who asks while another begins
   * shares it. Throws as `makeCheckpoint` does.
   */
  checkpoint(): Promise<void>;
  /**
   * Copies the checkpoints to the places outside that lack them; a place that fails throws nothing.
   */
  copy(): Promise<void>;
};

/** Gives the log of this service. Made once, in `compose.ts`. */
export function createTransparency(deps: TransparencyDeps): Transparency {
  return {
    deps,
    checkpoint: createSharedRun(async () => void (await makeCheckpoint(deps))),
    copy: createSharedRun(() => copyOutside(deps.platform)),
  };
}
