import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { recordCopy } from "./copies-store.ts";
import type { CopyPlace } from "./copy-place.ts";
import { presentCheckpoint } from "./present-checkpoint.ts";
import { type CheckpointRow, selectCheckpointsAfter } from "./store.ts";
import type { TransparencyDeps } from "./transparency-deps.ts";

const BATCH = 500;
const NAME = /^checkpoint-(\d{12})\.json$/;

/** Gives the name of a checkpoint's file outside: names sort as the log grows. */
export function checkpointFileName(size: number): string {
  return `checkpoint-${String(size).padStart(12, "0")}.json`;
}

/** Gives what stands in a checkpoint's file outside. */
export function checkpointFileText(checkpoint: CheckpointRow): string {
  return `${JSON.stringify(presentCheckpoint(checkpoint), null, 2)}\n`;
}

/**
 * Gives the folder of `CHECKPOINT_DIR`: each checkpoint that is newer than the newest there is written, oldest first, whole and forced to the disk, or absent. A file taken
 * away does no harm: it is not missed, unless all are, and then they are written again.
 */
export function createFolderPlace({ db, clock }: Pick<TransparencyDeps["platform"], "db" | "clock">, folder: string): CopyPlace {
  const target = `folder ${folder}`;
  return {
    kind: "folder",
    target,
    async copy(state) {
      const names = await readdir(folder);
      const found = Math.max(0, ...names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number));
      for (let size = found; ; ) {
        const checkpoints = await selectCheckpointsAfter(db, { size, limit: BATCH });
        for (const checkpoint of checkpoints) await writeWhole(folder, checkpoint);
        if (checkpoints.length > 0) await forceNames(folder);
        size = checkpoints.at(-1)?.size ?? size;
        if (checkpoints.length > 0 || size !== state.size) await recordCopy(db, { target, size, at: clock() });
        if (checkpoints.length < BATCH) return;
      }
    },
  };
}

async function writeWhole(folder: string, checkpoint: CheckpointRow): Promise<void> {
  const draft = join(folder, `.${randomUUID()}.draft`);
  const handle = await open(draft, "wx", 0o640);
  try {
    await handle.writeFile(checkpointFileText(checkpoint));
    await handle.sync();
    await handle.close();
    await rename(draft, join(folder, checkpointFileName(checkpoint.size)));
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

/** The names too: after a power cut a file is there or will be written again. */
async function forceNames(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
