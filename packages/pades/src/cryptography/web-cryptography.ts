import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { toHex } from "../asn1/hex.ts";
import type { SignatureVerdict } from "../x509/types.ts";

type KeyAlgorithmToImport = EcKeyImportParams | RsaHashedImportParams | { readonly name: string };

/** One signature value to verify. Shape: keys and parameters are named as WebCrypto names them; an ECDSA value is two numbers of the curve's size (IEEE P1363). */
export type SignatureToVerify = {
  /** DER SubjectPublicKeyInfo. */
  readonly subjectPublicKey: Uint8Array;
  readonly keyAlgorithm: KeyAlgorithmToImport;
  readonly algorithm: EcdsaParams | RsaPssParams | { readonly name: string };
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
};

/** What signatures are judged with. */
export type Cryptography = {
  /** Digests bytes; `name`: SHA-1, SHA-256, SHA-384 or SHA-512. Source: FIPS 180-4. */
  digest(name: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** `unsupported`: the key or a parameter cannot be taken. */
  verify(signed: SignatureToVerify): SignatureVerdict | Promise<SignatureVerdict>;
};

/** Authorities' keys come back in every file; a signer's own is met once. */
const KEPT = 64;
/** RSA of 8,192 bits takes 1,062. */
const LARGEST_BYTES = 1_100;

const imported = new Map<string, Promise<CryptoKey>>();

/**
 * Gives the key of a DER SubjectPublicKeyInfo, imported once for each algorithm that it is used with: importing costs half of what verifying does.
 * Errors: WebCrypto's `DOMException` for a key that it cannot take, which is not remembered.
 */
export function importedKey(
  subjectPublicKey: Uint8Array,
  algorithm: KeyAlgorithmToImport,
): Promise<CryptoKey> {
  if (subjectPublicKey.length > LARGEST_BYTES) return importKey(subjectPublicKey, algorithm);
  // The whole key is its name: another key is never given for it.
  const name = `${JSON.stringify(algorithm)} ${toHex(subjectPublicKey)}`;
  const known = imported.get(name);
  if (known) {
    // The one used longest ago is the first to go.
    imported.delete(name);
    imported.set(name, known);
    return known;
  }
  // A view of a file, or of a buffer that its owner uses again while the key is imported, is not kept.
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
      // WebCrypto throws DOMException for a key or parameter it cannot take; anything else is a bug of ours.
      if (error instanceof DOMException) return "unsupported";
      throw error;
    }
  },
};
