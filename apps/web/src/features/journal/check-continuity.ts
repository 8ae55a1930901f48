import type { Checkpoint, CheckpointListAnswer, Consistency } from "@paraphe/contracts";
import { fromHex } from "@paraphe/kernel/bytes";
import { api } from "../../lib/api.ts";
import { saveBlob } from "../../lib/save-blob.ts";
import { verifyPublishedCheckpoint } from "../../lib/verify-published-checkpoint.ts";

const LOG = "/api/signature/transparency";
const CHECKPOINTS_SHOWN = 10;

/** Reads a page of the checkpoints, newest first. */
export function loadCheckpoints(page: number, signal: AbortSignal): Promise<CheckpointListAnswer> {
  return api.get<CheckpointListAnswer>(
    `${LOG}/checkpoints/?page=${page}&page_size=${CHECKPOINTS_SHOWN}`,
    { signal },
  );
}

/** Reads the latest checkpoint, as it is now. */
function loadLatest(): Promise<Checkpoint> {
  return api.get<Checkpoint>(`${LOG}/checkpoints/latest/`);
}

/** Reads the oldest of so many checkpoints. */
export async function loadFirstCheckpoint(count: number, signal: AbortSignal): Promise<Checkpoint> {
  const { results } = await loadCheckpoints(
    Math.max(1, Math.ceil(count / CHECKPOINTS_SHOWN)),
    signal,
  );
  const oldest = results.at(-1);
  if (oldest === undefined) throw new RangeError("the list of checkpoints is shorter than it says");
  return oldest;
}

/** Loads the proof that the log of one size begins with that of another. */
function loadConsistency(first: number, second: number): Promise<Consistency> {
  return api.get<Consistency>(`${LOG}/consistency/?first=${first}&second=${second}`);
}

/** Saves a checkpoint under the name that the service's own copies have. */
export function saveCheckpoint(checkpoint: Checkpoint): void {
  const blob = new Blob([`${JSON.stringify(checkpoint, null, 2)}\n`], { type: "application/json" });
  saveBlob(blob, `checkpoint-${String(checkpoint.size).padStart(12, "0")}.json`);
}

/**
 * How the log stands to a saved checkpoint. `holds`: it begins with it; `unsound`: the checkpoint is
 * not valid itself; `foreign`: it is of another log (`log`, its origin), and accuses this one of
 * nothing.
 */
export type Continuity =
  | { readonly outcome: "holds" | "rewritten" | "shorter" | "unsound" }
  | { readonly outcome: "foreign"; readonly log: string };

/** True where the past was rewritten, or cut off. */
export function isRewrite({ outcome }: Continuity): boolean {
  return outcome === "rewritten" || outcome === "shorter";
}

/**
 * Verifies that the log begins with a saved checkpoint. `known`: the latest that the page has; the
 * log may have grown since.
 * Errors: `ApiError` where the service does not give the path.
 */
export async function checkContinuity(kept: Checkpoint, known: Checkpoint): Promise<Continuity> {
  const { verifyCheckpoint, verifyConsistency } = await import("@paraphe/proof");
  const alone = await verifyCheckpoint(kept);
  if (!alone.ok) return { outcome: "unsound" };
  const latest = kept.size > known.size ? await loadLatest() : known;
  const now = await verifyPublishedCheckpoint(latest);
  // A service that changed its address continues its log: the name alone decides nothing.
  const isForeign = now.ok && alone.facts.log !== now.facts.log;
  const failed = (outcome: "rewritten" | "shorter"): Continuity =>
    isForeign ? { outcome: "foreign", log: alone.facts.log } : { outcome };
  // Anybody can sign a log of this name: only the service's own checkpoint accuses it.
  if (!(await verifyPublishedCheckpoint(kept)).ok)
    return isForeign ? { outcome: "foreign", log: alone.facts.log } : { outcome: "unsound" };
  if (kept.size > latest.size) return failed("shorter");
  const { path } =
    kept.size === latest.size ? { path: [] } : await loadConsistency(kept.size, latest.size);
  const holds = verifyConsistency({
    first: kept.size,
    firstRoot: fromHex(kept.root),
    second: latest.size,
    secondRoot: fromHex(latest.root),
    path: path.map(fromHex),
  });
  return holds ? { outcome: "holds" } : failed("rewritten");
}

const MAX_FILE_BYTES = 100_000;

/** Parses a saved checkpoint; null when it is none. */
export async function readKept(file: Blob): Promise<Checkpoint | null> {
  if (file.size > MAX_FILE_BYTES) return null;
  try {
    const { size, root, at, key_id, signature, timestamp } = JSON.parse(
      await file.text(),
    ) as Partial<Record<keyof Checkpoint, unknown>>;
    if (
      ![root, at, key_id, signature, timestamp].every((value) => typeof value === "string") ||
      !Number.isSafeInteger(size)
    )
      return null;
    return { size, root, at, key_id, signature, timestamp } as Checkpoint;
  } catch {
    // Any other file.
    return null;
  }
}
