import { toBase64, toHex } from "@paraphe/kernel/bytes";
import type { Checkpoint, Inclusion, LogEntry } from "@paraphe/contracts";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import {
  hashOfRange,
  inclusionRanges,
  leafHash,
  type LeafRange,
  type Subtree,
  subtreesOf,
} from "@paraphe/proof/parts";
import type { Reader } from "../../../platform/database/database.ts";
import {
  type CheckpointRow,
  hasCheckpointWithout,
  type LeafRow,
  selectLastLeafOf,
  selectLatestCheckpoint,
  selectLeaves,
  selectLeavesOf,
  selectNodes,
} from "./store.ts";

/**
 * Gives the hash of an entry's leaf: of its canonical JSON (RFC 8785), as RFC 9162 §2.1.1 hashes a
 * leaf.
 */
export function leafOf(entry: LogEntry): Uint8Array {
  return leafHash(canonicalBytes(entry));
}

/** Gives a checkpoint as `checkpointSchema` has it. */
export function presentCheckpoint({
  size,
  root,
  at,
  keyId,
  signature,
  timestampDer,
}: CheckpointRow): Checkpoint {
  return {
    size,
    root: toHex(root),
    at: at.toISOString(),
    key_id: keyId,
    signature,
    timestamp: toBase64(timestampDer),
  };
}

/** Rows of the log were taken out, or put in by hand: it is not a tree any more. */
export class BrokenLogError extends Error {}

const keyOf = ({ level, index }: Subtree) => `${level}:${index}`;

/**
 * Gives the stored hashes of each range's full subtrees, in the order of `subtreesOf`: two reads
 * whatever the number of leaves.
 * Errors: throws `BrokenLogError` when one is not stored.
 */
async function readSubtrees(
  reader: Reader,
  ranges: readonly LeafRange[],
): Promise<readonly (readonly Uint8Array[])[]> {
  const asked = ranges.map(subtreesOf);
  const all = asked.flat();
  const leaves = await selectLeaves(
    reader,
    all.flatMap(({ level, index }) => (level === 0 ? [index] : [])),
  );
  const nodes = await selectNodes(
    reader,
    all.filter(({ level }) => level > 0),
  );
  const hashes = new Map([
    ...leaves.map(
      ({ leafIndex, entry }) => [keyOf({ level: 0, index: leafIndex }), leafOf(entry)] as const,
    ),
    ...nodes.map((node) => [keyOf(node), new Uint8Array(node.hash)] as const),
  ]);
  return asked.map((subtrees) =>
    subtrees.map((subtree) => {
      const hash = hashes.get(keyOf(subtree));
      if (hash === undefined)
        throw new BrokenLogError(`The transparency log lacks its node ${keyOf(subtree)}`);
      return hash;
    }),
  );
}

/** Gives the hash of each range. */
export async function readRanges(
  reader: Reader,
  ranges: readonly LeafRange[],
): Promise<readonly Uint8Array[]> {
  return (await readSubtrees(reader, ranges)).map(hashOfRange);
}

/**
 * Gives the proof that the last head of an envelope's journal that a checkpoint covers stands in
 * the latest one; null while none covers any.
 * Its entry says which event that is: what came after it is in no checkpoint yet.
 */
export async function readInclusion(reader: Reader, envelopeId: string): Promise<Inclusion | null> {
  const checkpoint = await selectLatestCheckpoint(reader);
  if (checkpoint === null) return null;
  const leaf = await selectLastLeafOf(reader, { envelopeId, size: checkpoint.size });
  return leaf === null ? null : provenIn(reader, { leaf, checkpoint });
}

/**
 * Gives every head (hex) of an envelope's journal that the log holds, by the number of its event.
 * The journal must still have each of them: its last one alone would not
 * tell a journal that was rewritten and has grown since, whose new head is in the log as well.
 */
export async function readLoggedHeads(
  reader: Reader,
  envelopeId: string,
): Promise<ReadonlyMap<number, string>> {
  return new Map(
    (await selectLeavesOf(reader, envelopeId)).map(({ entry }) => [entry.sequence, entry.head]),
  );
}

/**
 * Says whether a checkpoint that was made after a moment leaves out what an envelope's journal had
 * by then: the event of this number. A checkpoint takes all that was
 * committed before it.
 */
export async function wasLeftOut(
  reader: Reader,
  {
    envelopeId,
    sequence,
    after,
  }: { readonly envelopeId: string; readonly sequence: number; readonly after: Date },
): Promise<boolean> {
  const first = (await selectLeavesOf(reader, envelopeId)).find(
    ({ entry }) => entry.sequence >= sequence,
  );
  return first === undefined || hasCheckpointWithout(reader, { leafIndex: first.leafIndex, after });
}

/**
 * Gives the proof that a leaf stands in a checkpoint that covers it. Where the log is broken there,
 * its path is empty: it proves nothing, and whoever checks it says so.
 */
export async function provenIn(
  reader: Reader,
  { leaf, checkpoint }: { readonly leaf: LeafRow; readonly checkpoint: CheckpointRow },
): Promise<Inclusion> {
  const path = await pathIn(reader, { leaf, checkpoint });
  return {
    leaf_index: leaf.leafIndex,
    size: checkpoint.size,
    path: path.map((hash) => toHex(hash)),
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
