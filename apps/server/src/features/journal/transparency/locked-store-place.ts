import { createS3LockedStore } from "../../../platform/object-store/s3-locked-store.ts";
import type { CheckpointStoreSettings } from "../../../platform/settings/settings.ts";
import { recordCopy } from "./copies-store.ts";
import type { CopyPlace } from "./copy-place.ts";
import { checkpointFileText } from "./folder-place.ts";
import { type CheckpointRow, selectCheckpointsAfter } from "./store.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

/** In one turn, of the thousands that a new store lacks: the next turn goes on. */
const TURN = 200;
const DAY_MS = 86_400_000;

/** Gives the name of a checkpoint's object: with its root, so that one that says otherwise is another object and hides none. */
function objectName(checkpoint: CheckpointRow): string {
  const root = Buffer.from(checkpoint.root).toString("hex").slice(0, 16);
  return `checkpoint-${String(checkpoint.size).padStart(12, "0")}-${root}.json`;
}

/** Gives the store of `CHECKPOINT_S3_…`: each checkpoint is an object, locked (COMPLIANCE) for as many days as the setting says. */
export function createLockedStorePlace(
  { db, clock }: Pick<TransparencyDeps["platform"], "db" | "clock">,
  settings: CheckpointStoreSettings,
): CopyPlace {
  const store = createS3LockedStore(settings);
  const target = `s3 ${settings.endpoint}/${settings.bucket}/${settings.folder}`;
  return {
    kind: "s3",
    target,
    async copy(state) {
      for (const checkpoint of await selectCheckpointsAfter(db, { size: state.size, limit: TURN })) {
        await store.put({
          name: `${settings.folder}${objectName(checkpoint)}`,
          bytes: new TextEncoder().encode(checkpointFileText(checkpoint)),
          contentType: "application/json",
          until: new Date(clock().getTime() + settings.days * DAY_MS),
        });
        await recordCopy(db, { target, size: checkpoint.size, at: clock() });
      }
    },
  };
}
