import type { Checkpoint, CheckpointListAnswer, Consistency } from "@paraphe/contracts";
import { fromHex } from "@paraphe/kernel/bytes";
import { api } from "../../lib/api/api.ts";
import { saveBlob } from "../../lib/browser/save-blob.ts";
import { verifyPublishedCheckpoint } from "../../lib/verify-published-checkpoint.ts";

const LOG = "/api/signature/transparency";
const CHECKPOINTS_SHOWN = 10;

export function loadCheckpoints(page: number, signal: AbortSignal): Promise<CheckpointListAnswer> {
  return api.get<CheckpointListAnswer>(
    `${LOG}/checkpoints/?page=${page}&page_size=${CHECKPOINTS_SHOWN}`,
    { signal },
  );
}

function loadLatest(): Promise<Checkpoint> {
  return api.get<Checkpoint>(`${LOG}/checkpoints/latest/`);
}

export async function loadFirstCheckpoint(count: number, signal: AbortSignal): Promise<Checkpoint> {
  const { results } = await loadCheckpoints(
    Math.max(1, Math.ceil(count / CHECKPOINTS_SHOWN)),
    signal,
  );
  const oldest = results.at(-1);
  if (oldest === undefined) throw new RangeError("the list of checkpoints is shorter than it says");
  return oldest;
}

function loadConsistency(first: number, second: number): Promise<Consistency> {
  return api.get<Consistency>(`${LOG}/consistency/?first=${first}&second=${second}`);
}

export function saveCheckpoint(checkpoint: Checkpoint): void {
  const blob = new Blob([`${JSON.stringify(checkpoint, null, 2)}\n`], { type: "application/json" });
  saveBlob(blob, `checkpoint-${String(checkpoint.size).padStart(12, "0")}.json`);
}

/**
 * `holds`: the log begins with the checkpoint; `unsound`: the checkpoint is invalid; `foreign`: it
 * belongs to another log, whose origin is `log`.
 */
export type Continuity =
  | { readonly outcome: "holds" | "rewritten" | "shorter" | "unsound" }
  | { readonly outcome: "foreign"; readonly log: string };

export function isRewrite({ outcome }: Continuity): boolean {
  return outcome === "rewritten" || outcome === "shorter";
}

/**
 * `known`: the page's latest checkpoint.
 * Errors: `ApiError` where the service does not give the path.
 */
export async function checkContinuity(saved: Checkpoint, known: Checkpoint): Promise<Continuity> {
  const { verifyCheckpoint, verifyConsistency } = await import("@paraphe/proof");
  const alone = await verifyCheckpoint(saved);
  if (!alone.ok) return { outcome: "unsound" };
  const latest = saved.size > known.size ? await loadLatest() : known;
  const now = await verifyPublishedCheckpoint(latest);
  // A service whose address changed continues its log, so the name alone decides nothing.
  const isForeign = now.ok && alone.facts.log !== now.facts.log;
  const failed = (outcome: "rewritten" | "shorter"): Continuity =>
    isForeign ? { outcome: "foreign", log: alone.facts.log } : { outcome };
  // Only the service's own checkpoint proves a rewrite.
  if (!(await verifyPublishedCheckpoint(saved)).ok)
    return isForeign ? { outcome: "foreign", log: alone.facts.log } : { outcome: "unsound" };
  if (saved.size > latest.size) return failed("shorter");
  const { path } =
    saved.size === latest.size ? { path: [] } : await loadConsistency(saved.size, latest.size);
  const holds = verifyConsistency({
    first: saved.size,
    firstRoot: fromHex(saved.root),
    second: latest.size,
    secondRoot: fromHex(latest.root),
    path: path.map(fromHex),
  });
  return holds ? { outcome: "holds" } : failed("rewritten");
}

const MAX_FILE_BYTES = 100_000;

export async function parseSavedCheckpoint(file: Blob): Promise<Checkpoint | null> {
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
    return null;
  }
}
