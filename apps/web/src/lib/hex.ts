/** Writes bytes in lower-case hexadecimal. */
export function hexOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads pairs of hexadecimal digits. */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Gives a file's SHA-256 in lower-case hexadecimal. */
export async function hashFile(file: Blob): Promise<string> {
  return hexOfBytes(
    new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())),
  );
}
