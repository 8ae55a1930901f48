import type { Inclusion } from "@paraphe/contracts";
import { inclusionRanges } from "@paraphe/proof/parts";
import type { Reader } from "../../../platform/database/database.ts";
import { presentCheckpoint } from "./present-checkpoint.ts";
import { BrokenLogError, readRanges } from "./read-ranges.ts";
import {
  type CheckpointRow,
  hasCheckpointWithout,
  type LeafRow,
  selectLastLeafOf,
  selectLatestCheckpoint,
  selectLeavesOf,
} from "./store.ts";

/**
 * Gives the proof that the last head of an envelope's journal that a checkpoint covers stands in the latest one; null while none covers any.
 * Its entry says which event that is: what came after it is in no checkpoint yet.
 */
export async function readInclusion(reader: Reader, envelopeId: string): Promise<Inclusion | null> {
  const checkpoint = await selectLatestCheckpoint(reader);
  if (checkpoint === null) return null;
  const leaf = await selectLastLeafOf(reader, { envelopeId, size: checkpoint.size });
  return leaf === null ? null : provenIn(reader, { leaf, checkpoint });
}

/**
 * Gives every head (hex) of an envelope's journal that the log holds, by the number of its event. The journal must still have each of them: its last one alone would not
 * tell a journal that was rewritten and has grown since, whose new head is in the log as well.
 */
export async function readLoggedHeads(reader: Reader, envelopeId: string): Promise<ReadonlyMap<number, string>> {
  return new Map((await selectLeavesOf(reader, envelopeId)).map(({ entry }) => [entry.sequence, entry.head]));
}

/**
 * Says whether a checkpoint that was made after a moment leaves out what an envelope's journal had by then: the event of this number. A checkpoint takes all that was
 * committed before it.
 */
export async function wasLeftOut(
  reader: Reader,
  { envelopeId, sequence, after }: { readonly envelopeId: string; readonly sequence: number; readonly after: Date },
): Promise<boolean> {
  const first = (await selectLeavesOf(reader, envelopeId)).find(({ entry }) => entry.sequence >= sequence);
  return first === undefined || hasCheckpointWithout(reader, { leafIndex: first.leafIndex, after });
}

/** Gives the proof that a leaf stands in a checkpoint that covers it. Where the log is broken there, its path is empty: it proves nothing, and whoever checks it says so. */
export async function provenIn(
  reader: Reader,
  { leaf, checkpoint }: { readonly leaf: LeafRow; readonly checkpoint: CheckpointRow },
): Promise<Inclusion> {
  const path = await pathIn(reader, { leaf, checkpoint });
  return {
    leaf_index: leaf.leafIndex,
    size: checkpoint.size,
    path: path.map((hash) => Buffer.from(hash).toString("hex")),
    entry: leaf.entry,
    checkpoint: presentCheckpoint(checkpoint),
  };
}

async function pathIn(
  reader: Reader,
  { leaf, checkpoint }: { readonly leaf: LeafRow; readonly checkpoint: CheckpointRow },
): Promise<readonly Uint8Array[]> {
  try {
    return await readRanges(reader, inclusionRanges(leaf.leafIndex, checkpoint.size));
  } catch (error) {
    if (error instanceof BrokenLogError) return [];
    throw error;
  }
}
