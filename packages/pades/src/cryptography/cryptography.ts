import { type Cryptography, webCryptography } from "./web-cryptography.ts";

let chosen = webCryptography;

/**
 * Replaces WebCrypto for every later digest and verification. WebCrypto hands each to another
 * thread, which often costs more than the work.
 */
export function useCryptography(given: Cryptography): void {
  chosen = given;
}

export function cryptography(): Cryptography {
  return chosen;
}

/** Digests bytes; `name` is WebCrypto's. Source: FIPS 180-4. */
export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return cryptography().digest(name, bytes);
}
