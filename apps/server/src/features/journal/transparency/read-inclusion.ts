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
import { inParallel } from "../../../platform/database/in-transaction.ts";
import {
  type CheckpointRow,
  hasCheckpointWithout,
  type LeafRow,
  selectLatestCheckpoint,
  selectLeaves,
  selectLeavesOf,
  selectNodes,
} from "./store.ts";

/** Leaf hash of the entry's canonical JSON (RFC 8785; RFC 9162 §2.1.1). */
export function leafOf(entry: LogEntry): Uint8Array {
  return leafHash(canonicalBytes(entry));
}

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

/** Rows were removed or forged: they form no Merkle tree. */
export class BrokenLogError extends Error {}

const keyOf = ({ level, index }: Subtree) => `${level}:${index}`;

/**
 * Gives them as `subtreesOf` orders them, in two reads. Throws `BrokenLogError` when one is
 * missing.
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

export async function readRanges(
  reader: Reader,
  ranges: readonly LeafRange[],
): Promise<readonly Uint8Array[]> {
  return (await readSubtrees(reader, ranges)).map(hashOfRange);
}

/**
 * Shape: `inclusion` proves the journal's last head that the latest checkpoint covers; null when
 * none is. `heads`: hashes in hex by event number, all compared, as the last alone would match a
 * rewritten journal that grew.
 */
export async function readLog(
  reader: Reader,
  envelopeId: string,
): Promise<{
  readonly inclusion: Inclusion | null;
  readonly heads: ReadonlyMap<number, string>;
}> {
  const { checkpoint, leaves } = await inParallel({
    checkpoint: selectLatestCheckpoint(reader),
    leaves: selectLeavesOf(reader, envelopeId),
  });
  const size = checkpoint?.size ?? 0;
  const leaf = leaves.findLast(({ leafIndex }) => leafIndex < size);
  return {
    inclusion:
      checkpoint === null || leaf === undefined
        ? null
        : await provenIn(reader, { leaf, checkpoint }),
    heads: new Map(leaves.map(({ entry }) => [entry.sequence, entry.head])),
  };
}

/**
 * Says whether a checkpoint after a moment lacks this event, though it covers all committed before.
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

/** A broken log gives an empty path, which fails. */
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
