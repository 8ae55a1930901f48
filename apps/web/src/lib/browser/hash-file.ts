import { toHex } from "@paraphe/kernel/bytes";

export async function hashFile(file: Blob): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
}
