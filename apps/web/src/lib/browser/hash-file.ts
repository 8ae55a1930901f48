import { toHex } from "@paraphe/kernel/bytes";

/** SHA-256 in lower-case hexadecimal. */
export async function hashFile(file: Blob): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
}
