import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { toHex } from "./asn1/der-reader.ts";
import type { SignatureVerdict } from "./x509/types.ts";

type KeyAlgorithmToImport = EcKeyImportParams | RsaHashedImportParams | { readonly name: string };

/** `algorithm` is WebCrypto's; an ECDSA value is r‖s (IEEE P1363). */
export type SignatureToVerify = {
  /** DER SubjectPublicKeyInfo. */
  readonly subjectPublicKey: Uint8Array;
  readonly keyAlgorithm: KeyAlgorithmToImport;
  readonly algorithm: EcdsaParams | RsaPssParams | { readonly name: string };
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
};

export type Cryptography = {
  /** `name`: SHA-1, SHA-256, SHA-384 or SHA-512. Source: FIPS 180-4. */
  digest(name: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** `unsupported`: the key or a parameter is not accepted. */
  verify(signed: SignatureToVerify): SignatureVerdict | Promise<SignatureVerdict>;
};

/** Keys of authorities occur in every file. */
const KEPT = 64;
const LARGEST_BYTES = 1_100;

const imported = new Map<string, Promise<CryptoKey>>();

/**
 * A DER SubjectPublicKeyInfo, imported once for each algorithm: importing costs half a
 * verification.
 * Errors: WebCrypto's `DOMException` for a key that it refuses; that is not cached.
 */
export function importedKey(
  subjectPublicKey: Uint8Array,
  algorithm: KeyAlgorithmToImport,
): Promise<CryptoKey> {
  if (subjectPublicKey.length > LARGEST_BYTES) return importKey(subjectPublicKey, algorithm);
  // The whole key is the cache key.
  const name = `${JSON.stringify(algorithm)} ${toHex(subjectPublicKey)}`;
  const known = imported.get(name);
  if (known) {
    imported.delete(name);
    imported.set(name, known);
    return known;
  }
  // The caller may reuse its buffer.
  const key = importKey(subjectPublicKey.slice(), algorithm);
  imported.set(name, key);
  key.catch(() => imported.delete(name));
  const oldest = imported.size > KEPT ? imported.keys().next().value : undefined;
  if (oldest !== undefined) imported.delete(oldest);
  return key;
}

function importKey(
  subjectPublicKey: Uint8Array,
  algorithm: KeyAlgorithmToImport,
): Promise<CryptoKey> {
  return crypto.subtle.importKey("spki", subjectPublicKey as BufferSource, algorithm, false, [
    "verify",
  ]);
}

/** WebCrypto's thread costs fifty times the digest of a certificate. */
const SHORT_BYTES = 16_384;
const SHORT: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "SHA-1": sha1,
  "SHA-256": sha256,
  "SHA-384": sha384,
  "SHA-512": sha512,
};

/** Longer data, and signatures, go to WebCrypto. */
export const webCryptography: Cryptography = {
  async digest(name, bytes) {
    const short = bytes.length <= SHORT_BYTES ? SHORT[name] : undefined;
    return short
      ? short(bytes)
      : new Uint8Array(await crypto.subtle.digest(name, bytes as BufferSource));
  },
  async verify({ subjectPublicKey, keyAlgorithm, algorithm, signature, data }) {
    try {
      const key = await importedKey(subjectPublicKey, keyAlgorithm);
      return (await crypto.subtle.verify(
        algorithm,
        key,
        signature as BufferSource,
        data as BufferSource,
      ))
        ? "valid"
        : "invalid";
    } catch (error) {
      // Any other error is a bug of ours.
      if (error instanceof DOMException) return "unsupported";
      throw error;
    }
  },
};

let chosen = webCryptography;

/** Replaces WebCrypto, whose thread often costs more than the work. */
export function useCryptography(given: Cryptography): void {
  chosen = given;
}

export function cryptography(): Cryptography {
  return chosen;
}

/** `name` is WebCrypto's. Source: FIPS 180-4. */
export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return cryptography().digest(name, bytes);
}
