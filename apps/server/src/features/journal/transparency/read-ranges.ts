import { hashOfRange, type LeafRange, subtreesOf, type Subtree } from "@paraphe/proof/parts";
import type { Reader } from "../../../platform/database/database.ts";
import { leafOf } from "./leaf-of.ts";
import { selectLeaves, selectNodes } from "./store.ts";

/** Rows of the log were taken out, or put in by hand: it is not a tree any more. */
export class BrokenLogError extends Error {}

const keyOf = ({ level, index }: Subtree) => `${level}:${index}`;

/**
 * Gives the stored hashes of each range's full subtrees, in the order of `subtreesOf`: two reads whatever the number of leaves.
 * Errors: throws `BrokenLogError` when one is not stored.
 */
export async function readSubtrees(reader: Reader, ranges: readonly LeafRange[]): Promise<readonly (readonly Uint8Array[])[]> {
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
    ...leaves.map(({ leafIndex, entry }) => [keyOf({ level: 0, index: leafIndex }), leafOf(entry)] as const),
    ...nodes.map((node) => [keyOf(node), new Uint8Array(node.hash)] as const),
  ]);
  return asked.map((subtrees) =>
    subtrees.map((subtree) => {
      const hash = hashes.get(keyOf(subtree));
      if (hash === undefined) throw new BrokenLogError(`The transparency log lacks its node ${keyOf(subtree)}`);
      return hash;
    }),
  );
}

/** Gives the hash of each range. */
export async function readRanges(reader: Reader, ranges: readonly LeafRange[]): Promise<readonly Uint8Array[]> {
  return (await readSubtrees(reader, ranges)).map(hashOfRange);
}
