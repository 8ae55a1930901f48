import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";

/** WebCrypto hands each digest to another thread: for a certificate that costs fifty times the digest itself. */
const SHORT_BYTES = 16_384;
const SHORT: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "SHA-1": sha1,
  "SHA-256": sha256,
  "SHA-384": sha384,
  "SHA-512": sha512,
};

/** Digests bytes: short ones here, longer ones by WebCrypto. `name`: as WebCrypto has it. Source: FIPS 180-4. */
export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const short = bytes.length <= SHORT_BYTES ? SHORT[name] : undefined;
  return short ? short(bytes) : new Uint8Array(await crypto.subtle.digest(name, bytes as BufferSource));
}
