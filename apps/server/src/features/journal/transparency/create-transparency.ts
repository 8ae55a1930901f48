import { copyOutside } from "./copy-outside.ts";
import { makeCheckpoint } from "./make-checkpoint.ts";
import { createSharedRun } from "./shared-run.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

export type Transparency = {
  readonly deps: TransparencyDeps;
  /** Makes a checkpoint of all that was committed before the call; who asks while another begins shares it. Throws as `makeCheckpoint` does. */
  checkpoint(): Promise<void>;
  /** Copies the checkpoints to the places outside that lack them; a place that fails throws nothing. */
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
