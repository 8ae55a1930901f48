import { rootOf } from "./root-of.ts";
import { type LeafRange, splitOf } from "./subtrees.ts";

/**
 * Gives the ranges whose hashes show that the tree of the second size begins with that of the first: none when the sizes are the same.
 * Errors: RangeError unless 0 < first ≤ second.
 * Source: RFC 9162 §2.1.4.1.
 */
export function consistencyRanges(first: number, second: number): readonly LeafRange[] {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 1 || first > second)
    throw new RangeError(`No tree of ${second} leaves begins with one of ${first}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, second];
  while (first !== end) {
    const middle = start + splitOf(end - start);
    if (first <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // A first tree that stands whole at the left of the second needs no hash of its own: whoever checks holds its root.
  if (start !== 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** Gives the consistency path from the tree of the first of these leaves' hashes to that of all of them. */
export function consistencyPath(leafHashes: readonly Uint8Array[], first: number): readonly Uint8Array[] {
  return consistencyRanges(first, leafHashes.length).map(({ start, end }) => rootOf(leafHashes.slice(start, end)));
}
