import { HASH_BYTES, levelWithin, nodeHash, sameHash } from "./tree.ts";

/** The leaf at this index of the tree of this size and root. */
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

/** The second tree begins with the whole first one. */
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
