import type { Checkpoint, CheckpointListAnswer, Consistency } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";
import { saveBlob } from "../../lib/save-blob.ts";

const LOG = "/api/signature/transparency";
export const CHECKPOINTS_SHOWN = 10;

/** Reads a page of the checkpoints, newest first. */
export function loadCheckpoints(page: number, signal: AbortSignal): Promise<CheckpointListAnswer> {
  return api.get<CheckpointListAnswer>(`${LOG}/checkpoints/?page=${page}&page_size=${CHECKPOINTS_SHOWN}`, { signal });
}

/** Reads what shows that the log of one size begins with that of another. */
export function loadConsistency(first: number, second: number): Promise<Consistency> {
  return api.get<Consistency>(`${LOG}/consistency/?first=${first}&second=${second}`);
}

/** Saves a checkpoint under the name that the service's own copies have. */
export function saveCheckpoint(checkpoint: Checkpoint): void {
  const blob = new Blob([`${JSON.stringify(checkpoint, null, 2)}\n`], { type: "application/json" });
  saveBlob(blob, `checkpoint-${String(checkpoint.size).padStart(12, "0")}.json`);
}
