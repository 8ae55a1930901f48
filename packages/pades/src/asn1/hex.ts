const DIGITS = new TextEncoder().encode("0123456789abcdef");
const DECODER = new TextDecoder();

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  const digits = new Uint8Array(bytes.length * 2);
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    digits[index * 2] = DIGITS[byte >> 4] ?? 0;
    digits[index * 2 + 1] = DIGITS[byte & 15] ?? 0;
  }
  // Joining strings would take thirty times their size.
  return DECODER.decode(digits);
}

const VALUES = Int8Array.from({ length: 256 }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);

/** The value of a hexadecimal digit; -1 for any other character. */
export function hexDigit(byte = 0): number {
  return VALUES[byte] ?? -1;
}
