import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Platform } from "../../platform/platform.ts";
import { presentCheckpoint } from "./present-checkpoint.ts";
import { type CheckpointRow, selectCheckpointsAfter } from "./store.ts";

const BATCH = 500;
const NAME = /^checkpoint-(\d{12})\.json$/;

/** Gives the name of a checkpoint's file outside: names sort as the log grows. */
export function checkpointFileName(size: number): string {
  return `checkpoint-${String(size).padStart(12, "0")}.json`;
}

/**
 * Writes each checkpoint that is newer than the newest in the folder of `CHECKPOINT_DIR` there, oldest first: whole and forced to the disk, or absent. Without that
 * setting, nothing. A file taken away does no harm: it is not missed, unless all are, and then they are written again.
 */
export async function exportCheckpoints({ db, settings }: Pick<Platform, "db" | "settings">): Promise<void> {
  const folder = settings.checkpointDir;
  if (folder === null) return;
  const names = await readdir(folder);
  let size = Math.max(0, ...names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number));
  for (;;) {
    const checkpoints = await selectCheckpointsAfter(db, { size, limit: BATCH });
    for (const checkpoint of checkpoints) await writeWhole(folder, checkpoint);
    if (checkpoints.length > 0) await forceNames(folder);
    if (checkpoints.length < BATCH) return;
    size = checkpoints.at(-1)?.size ?? size;
  }
}

async function writeWhole(folder: string, checkpoint: CheckpointRow): Promise<void> {
  const draft = join(folder, `.${randomUUID()}.draft`);
  const handle = await open(draft, "wx", 0o640);
  try {
    await handle.writeFile(`${JSON.stringify(presentCheckpoint(checkpoint), null, 2)}\n`);
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
