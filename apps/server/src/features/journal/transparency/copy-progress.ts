import type { Platform } from "../../../platform/platform.ts";
import { countCheckpointsAfter, selectCopyState } from "./copies-store.ts";
import { copyPlaces } from "./copy-outside.ts";
import type { CopyPlace } from "./copy-place.ts";

/** What the operator sees of a place outside. `missing`: checkpoints that it has not; `failingSince` and `fault`: null while it works. */
export type CopyProgress = Pick<CopyPlace, "kind"> & {
  readonly missing: number;
  readonly copiedAt: Date | null;
  readonly failingSince: Date | null;
  readonly fault: string | null;
};

/** Gives how far each place that the settings name has the checkpoints. */
export async function readCopyProgress(platform: Platform): Promise<readonly CopyProgress[]> {
  const found: CopyProgress[] = [];
  for (const { kind, target } of copyPlaces(platform)) {
    const { size, copiedAt, failingSince, fault } = await selectCopyState(platform.db, target);
    found.push({ kind, missing: await countCheckpointsAfter(platform.db, size), copiedAt, failingSince, fault });
  }
  return found;
}
