const ZERO = 0x30;

/** White space. Source: ISO 32000-2 §7.2.3, table 1. */
export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 ||
  byte === 0x0a ||
  byte === 0x0d ||
  byte === 0x09 ||
  byte === 0x0c ||
  byte === 0x00;

/** The first place that is not white space. */
export function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isBlank(bytes[at])) at += 1;
  return at;
}

/** The same, by the four white-space characters that every reader accepts between sections. */
export function skipPlainBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09)
    at += 1;
  return at;
}

/** The digits at a place; null for none, or too many for an exact number. */
export function integerAt(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | null {
  let value = 0;
  let end = at;
  for (; end < bytes.length; end += 1) {
    const digit = (bytes[end] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return end === at || !Number.isSafeInteger(value) ? null : { value, end };
}

/** Whether these characters stand at a place. */
export function wordAt(bytes: Uint8Array, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  return true;
}

/** The next place of these characters, or the end of the bytes. */
export function findWord(bytes: Uint8Array, word: string, from: number): number {
  for (
    let at = bytes.indexOf(word.charCodeAt(0), from);
    at >= 0;
    at = bytes.indexOf(word.charCodeAt(0), at + 1)
  )
    if (wordAt(bytes, at, word)) return at;
  return bytes.length;
}

/** Reads `N G obj` after white space, or null. Source: ISO 32000-2 §7.3.10. */
export function objectHeaderAt(
  bytes: Uint8Array,
  at: number,
): { readonly number: number; readonly generation: number; readonly end: number } | null {
  const number = integerAt(bytes, skipBlank(bytes, at));
  if (!number || !isBlank(bytes[number.end])) return null;
  const generation = integerAt(bytes, skipBlank(bytes, number.end));
  if (!generation || !isBlank(bytes[generation.end])) return null;
  const word = skipBlank(bytes, generation.end);
  return wordAt(bytes, word, "obj")
    ? { number: number.value, generation: generation.value, end: word + 3 }
    : null;
}

/** The same, without leading zeros, as every reader accepts it. */
export function plainHeaderAt(bytes: Uint8Array, at: number): ReturnType<typeof objectHeaderAt> {
  const number = skipBlank(bytes, at);
  const generation = skipBlank(bytes, integerAt(bytes, number)?.end ?? number);
  const isPadded = [number, generation].some(
    (place) => bytes[place] === ZERO && !isBlank(bytes[place + 1]),
  );
  return isPadded ? null : objectHeaderAt(bytes, at);
}

const CHUNK = 8_192;

/**
 * Bytes as text, one character a byte; TextDecoder's latin1 is Windows-1252, which is not
 * reversible.
 */
export function latinText(bytes: Uint8Array): string {
  let text = "";
  // Spreading iterates, which takes four times as long.
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode.apply(null, list(bytes.subarray(at, at + CHUNK)));
  return text;
}

/** `apply` accepts any array-like; its type knows arrays alone. */
function list(bytes: Uint8Array): number[] {
  return bytes as unknown as number[];
}

/** The place after a literal string that begins at `start`. Source: ISO 32000-2 §7.3.4.2. */
export function stringEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
