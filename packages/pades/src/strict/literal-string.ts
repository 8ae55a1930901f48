const [OPEN, CLOSE, BACKSLASH] = Array.from("()\\", (character) => character.charCodeAt(0)) as [number, number, number];
const [LINE_FEED, RETURN] = [0x0a, 0x0d];
const ESCAPES = new Map(Array.from("nrtbf()\\", (character, index) => [character.charCodeAt(0), "\n\r\t\b\f()\\".charCodeAt(index)]));

/** A character of a string: its value, or null for none, and how many bytes it takes. */
type Character = { readonly value: number | null; readonly length: number };

/**
 * Reads the literal string that stands at a place, and holds the parser's bytes against it.
 * Shape: the place behind it; -1 where they differ, or where it never ends.
 * Source: ISO 32000-2 §7.3.4.2, table 3.
 */
export function literalStringEnd(bytes: Uint8Array, from: number, expected: Uint8Array): number {
  let depth = 1;
  let index = 0;
  for (let at = from + 1; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN) depth += 1;
    if (byte === CLOSE) depth -= 1;
    if (depth === 0) return index === expected.length ? at + 1 : -1;
    if (byte !== BACKSLASH && byte !== RETURN) {
      if (expected[index] !== byte) return -1;
      index += 1;
      at += 1;
      continue;
    }
    const { value, length } = byte === BACKSLASH ? escapeAt(bytes, at + 1) : lineEndAt(bytes, at);
    if (value !== null) {
      if (expected[index] !== value) return -1;
      index += 1;
    }
    at += length;
  }
  return -1;
}

/** An end of line is one line feed, however it is written. */
function lineEndAt(bytes: Uint8Array, at: number): Character {
  return { value: LINE_FEED, length: bytes[at + 1] === LINE_FEED ? 2 : 1 };
}

function escapeAt(bytes: Uint8Array, at: number): Character {
  const byte = bytes[at] ?? 0;
  if (byte === RETURN) return { value: null, length: bytes[at + 1] === LINE_FEED ? 3 : 2 };
  if (byte === LINE_FEED) return { value: null, length: 2 };
  let [value, digits] = [0, 0];
  for (; digits < 3; digits += 1) {
    const digit = (bytes[at + digits] ?? 0) - 0x30;
    if (digit < 0 || digit > 7) break;
    value = value * 8 + digit;
  }
  if (digits > 0) return { value: value & 255, length: 1 + digits };
  return { value: ESCAPES.get(byte) ?? byte, length: 2 };
}
