import { HASH_BYTES, nodeHash, sameHash } from "./hashes.ts";
import { levelWithin } from "./subtrees.ts";

/** That the tree of the second size and root begins with the whole of the tree of the first: nothing was taken out, changed or put in between. */
export type ConsistencyClaim = {
  readonly first: number;
  readonly firstRoot: Uint8Array;
  readonly second: number;
  readonly secondRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
};

/** Says whether the path proves it; false for anything that is no proof, whatever its form. Source: RFC 9162 §2.1.4.2. */
export function verifyConsistency({ first, firstRoot, second, secondRoot, path }: ConsistencyClaim): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 1 || first > second) return false;
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
