import type { Checkpoint } from "@paraphe/contracts";
import { loadConsistency } from "./log-calls.ts";

/** What the log says to a checkpoint that somebody kept: it begins with it, it does not, it is shorter, or what was kept is no sound checkpoint. */
export type Continuity = "holds" | "rewritten" | "shorter" | "unsound";

/** Checks, in this browser, that the log of the latest checkpoint begins with the one that was kept. Throws `ApiError` when the path cannot be had. */
export async function checkContinuity(kept: Checkpoint, latest: Checkpoint): Promise<Continuity> {
  const { verifyCheckpoint, verifyConsistency } = await import("@paraphe/proof");
  if (!(await verifyCheckpoint(kept)).ok) return "unsound";
  if (kept.size > latest.size) return "shorter";
  const { path } = await loadConsistency(kept.size, latest.size);
  const holds = verifyConsistency({
    first: kept.size,
    firstRoot: bytesOf(kept.root),
    second: latest.size,
    secondRoot: bytesOf(latest.root),
    path: path.map(bytesOf),
  });
  return holds ? "holds" : "rewritten";
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const MAX_FILE_BYTES = 100_000;

/** Reads a checkpoint that was kept as a file; null when it is none. */
export async function readKept(file: Blob): Promise<Checkpoint | null> {
  if (file.size > MAX_FILE_BYTES) return null;
  try {
    const { size, root, at, key_id, signature, timestamp } = JSON.parse(await file.text()) as Partial<Record<keyof Checkpoint, unknown>>;
    if (![root, at, key_id, signature, timestamp].every((value) => typeof value === "string") || !Number.isSafeInteger(size)) return null;
    return { size, root, at, key_id, signature, timestamp } as Checkpoint;
  } catch {
    // Any other file: said as such.
    return null;
  }
}
