export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Not in constant time: never for secrets. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += PAIRS[byte] ?? "";
  return text;
}

export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Bounds the arguments of one call. */
const SLICE = 0x8000;

/** RFC 4648 §4. */
export function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (let from = 0; from < bytes.length; from += SLICE)
    letters += String.fromCharCode(...bytes.subarray(from, from + SLICE));
  return btoa(letters);
}

/** Errors: DOMException for invalid base64. Source: RFC 4648 §4. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  // `Uint8Array.from` with a function takes ten times as long.
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  return bytes;
}

/** Without padding. Source: RFC 7515 §2. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Null for any other encoding of the same bytes. Source: RFC 7515 §2. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  // The last letter has unused bits, which must be zero.
  return toBase64Url(bytes) === text ? bytes : null;
}

/**
 * Version 7: new rows are adjacent in an index.
 * Source: RFC 9562 §5.7.
 */
export function createIdMaker(
  clock: () => Date,
  random: (length: number) => Uint8Array,
): () => string {
  return () => {
    const bytes = new Uint8Array(16);
    bytes.set(random(10), 6);
    new DataView(bytes.buffer).setUint16(0, Math.floor(clock().getTime() / 2 ** 32));
    new DataView(bytes.buffer).setUint32(2, clock().getTime() % 2 ** 32);
    bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
    return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
}
