import { cryptography } from "../cryptography/cryptography.ts";

/** Digests bytes. `name`: as WebCrypto has it. Source: FIPS 180-4. */
export async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return cryptography().digest(name, bytes);
}
