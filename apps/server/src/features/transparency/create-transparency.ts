import { exportCheckpoints } from "./export-checkpoints.ts";
import { makeCheckpoint } from "./make-checkpoint.ts";
import { createSharedRun } from "./shared-run.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

export type Transparency = {
  readonly deps: TransparencyDeps;
  /** Makes a checkpoint of all that was committed before the call, and copies it outside; who asks while another begins shares it. Throws as `makeCheckpoint` does. */
  checkpoint(): Promise<void>;
};

/** Gives the log of this service. Made once, in `compose.ts`. */
export function createTransparency(deps: TransparencyDeps): Transparency {
  const checkpoint = createSharedRun(async () => {
    await makeCheckpoint(deps);
    await exportCheckpoints(deps.platform);
  });
  return { deps, checkpoint };
}
