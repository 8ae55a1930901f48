import { sha256 } from "@noble/hashes/sha2.js";

/** Length of every hash of the tree, in bytes: SHA-256. */
export const HASH_BYTES = 32;

/** Gives the hash of a leaf: `SHA-256(0x00 ‖ entry)`. Source: RFC 9162 §2.1.1. */
export function leafHash(entry: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(entry.length + 1);
  hashed.set(entry, 1);
  return sha256(hashed);
}

/** Gives the hash of a node: `SHA-256(0x01 ‖ left ‖ right)`. The first byte keeps a node from being shown as a leaf. Source: RFC 9162 §2.1.1. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const hashed = new Uint8Array(1 + left.length + right.length);
  hashed[0] = 1;
  hashed.set(left, 1);
  hashed.set(right, 1 + left.length);
  return sha256(hashed);
}

/** Gives the root of a tree without leaves: the hash of nothing. Source: RFC 9162 §2.1.1. */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

/** Says whether two hashes are the same. Nothing here is secret. */
export function sameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
