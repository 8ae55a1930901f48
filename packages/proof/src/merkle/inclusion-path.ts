import { rootOf } from "./root-of.ts";
import { type LeafRange, splitOf } from "./subtrees.ts";

/**
 * Gives the ranges whose hashes are the audit path of a leaf in the tree of that size, from the leaf to the root.
 * Errors: RangeError when the tree has no such leaf.
 * Source: RFC 9162 §2.1.3.1.
 */
export function inclusionRanges(leafIndex: number, size: number): readonly LeafRange[] {
  if (!Number.isSafeInteger(leafIndex) || !Number.isSafeInteger(size) || leafIndex < 0 || leafIndex >= size)
    throw new RangeError(`A tree of ${size} leaves has no leaf ${leafIndex}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (leafIndex < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.toReversed();
}

/** Gives the audit path of a leaf among these leaves' hashes. */
export function inclusionPath(leafHashes: readonly Uint8Array[], leafIndex: number): readonly Uint8Array[] {
  return inclusionRanges(leafIndex, leafHashes.length).map(({ start, end }) => rootOf(leafHashes.slice(start, end)));
}
