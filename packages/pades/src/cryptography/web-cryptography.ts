import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { importedKey } from "./imported-key.ts";
import type { Cryptography } from "./types.ts";

/** WebCrypto hands each digest to another thread: for a certificate that costs fifty times the digest itself. */
const SHORT_BYTES = 16_384;
const SHORT: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "SHA-1": sha1,
  "SHA-256": sha256,
  "SHA-384": sha384,
  "SHA-512": sha512,
};

/** Digests short bytes here; longer ones, and signatures, by WebCrypto: it is in every browser and in Node. */
export const webCryptography: Cryptography = {
  async digest(name, bytes) {
    const short = bytes.length <= SHORT_BYTES ? SHORT[name] : undefined;
    return short ? short(bytes) : new Uint8Array(await crypto.subtle.digest(name, bytes as BufferSource));
  },
  async verify({ subjectPublicKey, keyAlgorithm, algorithm, signature, data }) {
    try {
      const key = await importedKey(subjectPublicKey, keyAlgorithm);
      return (await crypto.subtle.verify(algorithm, key, signature as BufferSource, data as BufferSource)) ? "valid" : "invalid";
    } catch (error) {
      // WebCrypto throws DOMException for a key or parameter it cannot take; anything else is a bug of ours.
      if (error instanceof DOMException) return "unsupported";
      throw error;
    }
  },
};
