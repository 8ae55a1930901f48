import { copyOutside } from "./copies.ts";
import { type TransparencyDeps, makeCheckpoint } from "./make-checkpoint.ts";

/** One run at a time; callers during a run share the next one, which begins after their call. */
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

export type Transparency = {
  readonly deps: TransparencyDeps;
  /**
   * Covers everything committed before the call; concurrent calls share a run. Throws as
   * `makeCheckpoint` does.
   */
  checkpoint(): Promise<void>;
  /** Copies to the places outside; their failures do not throw. */
  copy(): Promise<void>;
};

export function createTransparency(deps: TransparencyDeps): Transparency {
  return {
    deps,
    checkpoint: createSharedRun(async () => void (await makeCheckpoint(deps))),
    copy: createSharedRun(() => copyOutside(deps.platform)),
  };
}
