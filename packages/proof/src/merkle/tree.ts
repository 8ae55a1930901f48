import { sha256 } from "@noble/hashes/sha2.js";

export const HASH_BYTES = 32;

/** `SHA-256(0x00 ‖ entry)`. Source: RFC 9162 §2.1.1. */
export function leafHash(entry: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(entry.length + 1);
  hashed.set(entry, 1);
  return sha256(hashed);
}

/**
 * `SHA-256(0x01 ‖ left ‖ right)`: the prefix separates nodes from leaves. Source: RFC 9162 §2.1.1.
 */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(1 + left.length + right.length);
  hashed[0] = 1;
  hashed.set(left, 1);
  hashed.set(right, 1 + left.length);
  return sha256(hashed);
}

/** The hash of nothing. Source: RFC 9162 §2.1.1. */
function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

function sameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/**
 * `start` (included) to `end` (excluded); `start` is a multiple of the greatest power of two within
 * the range.
 */
export type LeafRange = { readonly start: number; readonly end: number };

/**
 * A full subtree: leaves `index × 2^level` to `(index + 1) × 2^level`, whose hash never changes.
 */
export type Subtree = { readonly level: number; readonly index: number };

/** From left to right, the largest first: one per bit set of the length. */
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

/** `hashes` in the order of `subtreesOf`. Source: RFC 9162 §2.1.1. */
export function hashOfRange(hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  if (last === undefined) throw new RangeError("Expected a range with leaves, found none");
  return hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** Largest power of two below `size` (at least 2). Source: RFC 9162 §2.1.1. */
function splitOf(size: number): number {
  return 2 ** levelWithin(size - 1);
}

/** A floating-point logarithm is inexact. */
function levelWithin(size: number): number {
  let level = 0;
  while (2 ** (level + 1) <= size) level += 1;
  return level;
}

export type TreeNode = Subtree & { readonly hash: Uint8Array };

/** A growing tree, stored as its right edge: one hash per bit set of its size. */
export type Tree = {
  readonly size: number;
  /** Gives the completed full subtrees, the leaf first. */
  append(leafHash: Uint8Array): readonly TreeNode[];
  root(): Uint8Array;
};

type TreeEdge = { readonly size: number; readonly hashes: readonly Uint8Array[] };

/**
 * Errors: RangeError when the hashes do not match the size.
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
      // Each completed subtree of equal size joins its left neighbour.
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

/** Source: RFC 9162 §2.1.1. */
export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
  const tree = createTree();
  for (const hash of leafHashes) tree.append(hash);
  return tree.root();
}

/**
 * Gives the audit path, from the leaf to the root.
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

/**
 * Gives none for equal sizes.
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
  // A complete left subtree needs no hash: the verifier has its root.
  if (start !== 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** Claims the leaf at this index of the tree of this size and root. */
export type InclusionClaim = {
  readonly leafHash: Uint8Array;
  readonly leafIndex: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
};

/** False for any malformed path. Source: RFC 9162 §2.1.3.2. */
export function verifyInclusion({
  leafHash,
  leafIndex,
  size,
  path,
  root,
}: InclusionClaim): boolean {
  if (
    !Number.isSafeInteger(leafIndex) ||
    !Number.isSafeInteger(size) ||
    leafIndex < 0 ||
    leafIndex >= size
  )
    return false;
  if ([leafHash, root, ...path].some((hash) => hash.length !== HASH_BYTES)) return false;
  let [place, last, hash] = [leafIndex, size - 1, leafHash];
  for (const sibling of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sibling, hash);
      // A right edge without sibling moves up alone.
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && sameHash(hash, root);
}

/** Claims that the second tree begins with the whole first one. */
export type ConsistencyClaim = {
  readonly first: number;
  readonly firstRoot: Uint8Array;
  readonly second: number;
  readonly secondRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
};

/** False for any malformed path. Source: RFC 9162 §2.1.4.2. */
export function verifyConsistency({
  first,
  firstRoot,
  second,
  secondRoot,
  path,
}: ConsistencyClaim): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 1 || first > second)
    return false;
  if ([firstRoot, secondRoot, ...path].some((hash) => hash.length !== HASH_BYTES)) return false;
  if (first === second) return path.length === 0 && sameHash(firstRoot, secondRoot);
  const [start, ...rest] = 2 ** levelWithin(first) === first ? [firstRoot, ...path] : path;
  if (start === undefined) return false;
  let [place, last] = [first - 1, second - 1];
  while (place % 2 === 1) [place, last] = [(place - 1) / 2, Math.floor(last / 2)];
  let [firstHash, secondHash] = [start, start];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      firstHash = nodeHash(hash, firstHash);
      secondHash = nodeHash(hash, secondHash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      secondHash = nodeHash(secondHash, hash);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && sameHash(firstHash, firstRoot) && sameHash(secondHash, secondRoot);
}
