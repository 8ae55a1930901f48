import { nodeHash } from "./hashes.ts";

/** Leaves `start` (included) to `end` (excluded). `start` is a multiple of the greatest power of two that the range is not shorter than. */
export type LeafRange = { readonly start: number; readonly end: number };

/** A full subtree: the leaves `index × 2^level` to `(index + 1) × 2^level`. Level 0 is the leaves. Its hash never changes once its leaves are there. */
export type Subtree = { readonly level: number; readonly index: number };

/** Gives the full subtrees that a range is made of, the largest first, from left to right: as many as its length has bits set. */
export function subtreesOf({ start, end }: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let from = start; from < end; ) {
    const level = levelWithin(end - from);
    const size = 2 ** level;
    if (from % size !== 0) throw new RangeError(`No range of a tree goes from leaf ${start} to leaf ${end}`);
    subtrees.push({ level, index: from / size });
    from += size;
  }
  return subtrees;
}

/** Gives the hash of a range that is not empty, from its full subtrees' hashes in the order of `subtreesOf`. Source: RFC 9162 §2.1.1. */
export function hashOfRange(hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  if (last === undefined) throw new RangeError("Expected a range with leaves, found none");
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** Gives the largest power of two that is smaller than `size`, which is at least 2: where a tree of that size divides. Source: RFC 9162 §2.1.1. */
export function splitOf(size: number): number {
  return 2 ** levelWithin(size - 1);
}

/** Gives the greatest level whose subtrees are not larger than `size`. By doubling: a logarithm is not exact. */
export function levelWithin(size: number): number {
  let level = 0;
  while (2 ** (level + 1) <= size) level += 1;
  return level;
}
