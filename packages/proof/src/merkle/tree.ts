import { sha256 } from "@noble/hashes/sha2.js";

/** Length of every hash of the tree, in bytes: SHA-256. */
export const HASH_BYTES = 32;

/** Gives the hash of a leaf: `SHA-256(0x00 ‖ entry)`. Source: RFC 9162 §2.1.1. */
export function leafHash(entry: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(entry.length + 1);
  hashed.set(entry, 1);
  return sha256(hashed);
}

/**
 * Gives the hash of a node: `SHA-256(0x01 ‖ left ‖ right)`. The first byte keeps a node from being
 * shown as a leaf. Source: RFC 9162 §2.1.1.
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(1 + left.length + right.length);
  hashed[0] = 1;
  hashed.set(left, 1);
  hashed.set(right, 1 + left.length);
  return sha256(hashed);
}

/** Gives the root of a tree without leaves: the hash of nothing. Source: RFC 9162 §2.1.1. */
function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

/** Says whether two hashes are the same. Nothing here is secret. */
export function sameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/**
 * Leaves `start` (included) to `end` (excluded). `start` is a multiple of the greatest power of two
 * that the range is not shorter than.
 */
export type LeafRange = { readonly start: number; readonly end: number };

/**
 * A full subtree: the leaves `index × 2^level` to `(index + 1) × 2^level`. Level 0 is the leaves.
 * Its hash never changes once its leaves are there.
 */
export type Subtree = { readonly level: number; readonly index: number };

/**
 * Gives the full subtrees that a range is made of, the largest first, from left to right: as many
 * as its length has bits set.
 */
export function subtreesOf({ start, end }: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let from = start; from < end; ) {
    const level = levelWithin(end - from);
    const size = 2 ** level;
    if (from % size !== 0)
      throw new RangeError(`No range of a tree goes from leaf ${start} to leaf ${end}`);
    subtrees.push({ level, index: from / size });
    from += size;
  }
  return subtrees;
}

/**
 * Gives the hash of a range that is not empty, from its full subtrees' hashes in the order of
 * `subtreesOf`. Source: RFC 9162 §2.1.1.
 */
export function hashOfRange(hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  if (last === undefined) throw new RangeError("Expected a range with leaves, found none");
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/**
 * Gives the largest power of two that is smaller than `size`, which is at least 2: where a tree of
 * that size divides. Source: RFC 9162 §2.1.1.
 */
function splitOf(size: number): number {
  return 2 ** levelWithin(size - 1);
}

/**
 * Gives the greatest level whose subtrees are not larger than `size`. By doubling: a logarithm is
 * not exact.
 */
export function levelWithin(size: number): number {
  let level = 0;
  while (2 ** (level + 1) <= size) level += 1;
  return level;
}

export type TreeNode = Subtree & { readonly hash: Uint8Array };

/**
 * A tree that grows, of which only the right edge is held: as many hashes as its size has bits set.
 */
export type Tree = {
  readonly size: number;
  /** Adds a leaf; gives the full subtrees that it completes, the leaf itself first. */
  append(leafHash: Uint8Array): readonly TreeNode[];
  root(): Uint8Array;
};

/** The size of a tree and its full subtrees' hashes, in the order of `subtreesOf`. */
type TreeEdge = { readonly size: number; readonly hashes: readonly Uint8Array[] };

/**
 * Gives an empty tree, or one that goes on from an edge.
 * Errors: RangeError when the edge has not as many hashes as its size asks for.
 * Source: RFC 9162 §2.1.1, §2.1.2.
 */
export function createTree(edge: TreeEdge = { size: 0, hashes: [] }): Tree {
  if (subtreesOf({ start: 0, end: edge.size }).length !== edge.hashes.length)
    throw new RangeError(
      `The edge of a tree of ${edge.size} leaves is not ${edge.hashes.length} hashes`,
    );
  const hashes = [...edge.hashes];
  let size = edge.size;
  return {
    get size() {
      return size;
    },
    append(leafHash) {
      const completed: TreeNode[] = [{ level: 0, index: size, hash: leafHash }];
      let hash = leafHash;
      // Each full subtree that ends where this one begins, and is as large, makes a larger one with
      // it.
      for (let [level, index] = [0, size]; index % 2 === 1; ) {
        hash = nodeHash(hashes.pop() as Uint8Array, hash);
        level += 1;
        index = (index - 1) / 2;
        completed.push({ level, index, hash });
      }
      hashes.push(hash);
      size += 1;
      return completed;
    },
    root: () => (size === 0 ? emptyRoot() : hashOfRange(hashes)),
  };
}

/** Gives the root of the tree of these leaves' hashes. Source: RFC 9162 §2.1.1. */
export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
  const tree = createTree();
  for (const hash of leafHashes) tree.append(hash);
  return tree.root();
}

/**
 * Gives the ranges whose hashes are the audit path of a leaf in the tree of that size, from the
 * leaf to the root.
 * Errors: RangeError when the tree has no such leaf.
 * Source: RFC 9162 §2.1.3.1.
 */
export function inclusionRanges(leafIndex: number, size: number): readonly LeafRange[] {
  if (
    !Number.isSafeInteger(leafIndex) ||
    !Number.isSafeInteger(size) ||
    leafIndex < 0 ||
    leafIndex >= size
  )
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
export function inclusionPath(
  leafHashes: readonly Uint8Array[],
  leafIndex: number,
): readonly Uint8Array[] {
  return inclusionRanges(leafIndex, leafHashes.length).map(({ start, end }) =>
    rootOf(leafHashes.slice(start, end)),
  );
}

/**
 * Gives the ranges whose hashes show that the tree of the second size begins with that of the
 * first: none when the sizes are the same.
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
  // A first tree that stands whole at the left of the second needs no hash of its own: whoever
  // checks holds its root.
  if (start !== 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/**
 * Gives the consistency path from the tree of the first of these leaves' hashes to that of all of
 * them.
 */
export function consistencyPath(
  leafHashes: readonly Uint8Array[],
  first: number,
): readonly Uint8Array[] {
  return consistencyRanges(first, leafHashes.length).map(({ start, end }) =>
    rootOf(leafHashes.slice(start, end)),
  );
}
