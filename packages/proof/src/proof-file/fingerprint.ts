import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "@paraphe/kernel/bytes";

/** SHA-256 of a certificate in upper-case pairs, as people compare it. */
export function fingerprintOf(der: Uint8Array): string {
  return toHex(sha256(der))
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}
