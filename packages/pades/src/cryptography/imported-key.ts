import { toHex } from "../asn1/hex.ts";
import type { KeyAlgorithmToImport } from "./types.ts";

/** Authorities' keys come back in every file; a signer's own is met once. */
const KEPT = 64;
/** RSA of 8,192 bits takes 1,062. */
const LARGEST_BYTES = 1_100;

const imported = new Map<string, Promise<CryptoKey>>();

/**
 * Gives the key of a DER SubjectPublicKeyInfo, imported once for each algorithm that it is used with: importing costs half of what verifying does.
 * Errors: WebCrypto's `DOMException` for a key that it cannot take, which is not remembered.
 */
export function importedKey(subjectPublicKey: Uint8Array, algorithm: KeyAlgorithmToImport): Promise<CryptoKey> {
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

function importKey(subjectPublicKey: Uint8Array, algorithm: KeyAlgorithmToImport): Promise<CryptoKey> {
  return crypto.subtle.importKey("spki", subjectPublicKey as BufferSource, algorithm, false, ["verify"]);
}
