import { type Cryptography, webCryptography } from "./web-cryptography.ts";

let chosen = webCryptography;

/**
 * Has signatures judged with this from now on, instead of WebCrypto, which hands each of them to another thread: where a synchronous one is at hand,
 * that costs more than most of them do.
 */
export function useCryptography(given: Cryptography): void {
  chosen = given;
}

export function cryptography(): Cryptography {
  return chosen;
}

/** Digests bytes. `name`: as WebCrypto has it. Source: FIPS 180-4. */
export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return cryptography().digest(name, bytes);
}
