import type { Checkpoint, CheckpointListAnswer, Consistency } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";
import { saveBlob } from "../../lib/save-blob.ts";

const LOG = "/api/signature/transparency";
export const CHECKPOINTS_SHOWN = 10;

/** Reads a page of the checkpoints, newest first. */
export function loadCheckpoints(page: number, signal: AbortSignal): Promise<CheckpointListAnswer> {
  return api.get<CheckpointListAnswer>(`${LOG}/checkpoints/?page=${page}&page_size=${CHECKPOINTS_SHOWN}`, { signal });
}

/** Reads the latest checkpoint, as it is now. */
export function loadLatest(): Promise<Checkpoint> {
  return api.get<Checkpoint>(`${LOG}/checkpoints/latest/`);
}

/** Reads the oldest of so many checkpoints. */
export async function loadFirstCheckpoint(count: number, signal: AbortSignal): Promise<Checkpoint> {
  const { results } = await loadCheckpoints(Math.max(1, Math.ceil(count / CHECKPOINTS_SHOWN)), signal);
  const oldest = results.at(-1);
  if (oldest === undefined) throw new RangeError("the list of checkpoints is shorter than it says");
  return oldest;
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
