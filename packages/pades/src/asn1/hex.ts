const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Gives lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += BYTES[byte];
  return out;
}
