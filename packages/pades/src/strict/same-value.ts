import {
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNull,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfString,
} from "@libpdf/core";
import { hexDigit } from "../asn1/der-reader.ts";
import { isBlank, lineEnd, wordAt } from "../pdf/byte-reader.ts";

const [OPEN_PARENTHESIS, CLOSE, BACKSLASH] = Array.from("()\\", (character) =>
  character.charCodeAt(0),
) as [number, number, number];
const [LINE_FEED, RETURN] = [0x0a, 0x0d];
const ESCAPES = new Map(
  Array.from("nrtbf()\\", (character, index) => [
    character.charCodeAt(0),
    "\n\r\t\b\f()\\".charCodeAt(index),
  ]),
);

type Character = { readonly value: number | null; readonly length: number };

/**
 * The place behind a literal string; -1 where it differs from the parser's bytes or never ends.
 * Source: ISO 32000-2 §7.3.4.2, table 3.
 */
export function literalStringEnd(bytes: Uint8Array, from: number, expected: Uint8Array): number {
  let depth = 1;
  let index = 0;
  for (let at = from + 1; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN_PARENTHESIS) depth += 1;
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

const LARGEST_NUMBER = 2 ** 31 - 1;
const SPELLINGS = new WeakMap<PdfNumber, string>();

/**
 * Some readers drop a number beyond 32 bits, others clamp it. Source: ISO 32000-1 annex C, table
 * C.1.
 */
export function isBeyondReaders(number: PdfNumber): boolean {
  return Math.abs(number.value) > LARGEST_NUMBER;
}

function noteSpelling(number: PdfNumber, text: string): void {
  SPELLINGS.set(number, text);
}

/** Every reader treats the same spelling the same. */
export function areSpelledAlike(left: PdfNumber, right: PdfNumber): boolean {
  const text = SPELLINGS.get(left);
  return text !== undefined && text === SPELLINGS.get(right);
}

/** `meet` says whether every reader finds the same object. `depth`: of nesting. */
export type StrictReading = {
  readonly bytes: Uint8Array;
  readonly meet: (ref: PdfRef) => boolean;
  readonly depth?: number;
};

const [
  PERCENT,
  OPEN,
  LESS,
  GREATER,
  OPEN_ARRAY,
  CLOSE_ARRAY,
  SLASH,
  HASH,
  ZERO,
  POINT,
  PLUS,
  MINUS,
] = Array.from("%(<>[]/#0.+-", (character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const ENDS = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));
const TOKEN_ENDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  isBlank(byte) || ENDS.has(byte) ? 1 : 0,
);
const DECODER = new TextDecoder();
const LATIN = new TextDecoder("latin1");
const EXACT_DIGITS = 15;
const MAX_DEPTH = 256;

/** Source: ISO 32000-2 §7.2.3, §7.2.4. */
export function afterBlank(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; ) {
    if (bytes[at] === PERCENT) at = lineEnd(bytes, at);
    else if (isBlank(bytes[at])) at += 1;
    else return at;
  }
  return bytes.length;
}

/** White space, a delimiter, or the end of the bytes. */
function endsToken(bytes: Uint8Array, at: number): boolean {
  return at >= bytes.length || TOKEN_ENDS[bytes[at] ?? 0] === 1;
}

/**
 * Reads a value strictly; -1 where two readers may differ, else the place behind it.
 * Source: ISO 32000-2 §7.2, §7.3.
 */
export function sameValueEnd(reading: StrictReading, from: number, object: PdfObject): number {
  const { bytes, depth = 0 } = reading;
  const at = afterBlank(bytes, from);
  const byte = bytes[at];
  if (depth > MAX_DEPTH) return -1;
  if (object instanceof PdfRef) return referenceEnd(reading, at, object);
  if (object instanceof PdfDict)
    return byte === LESS && bytes[at + 1] === LESS
      ? dictionaryEnd(within(reading), at + 2, object)
      : -1;
  if (object instanceof PdfArray)
    return byte === OPEN_ARRAY ? arrayEnd(within(reading), at + 1, object) : -1;
  if (object instanceof PdfName) return nameEnd(bytes, at, object.value);
  if (object instanceof PdfNumber) return spelledNumberEnd(bytes, at, object);
  if (object instanceof PdfString)
    return byte === OPEN
      ? literalStringEnd(bytes, at, object.bytes)
      : hexEnd(bytes, at, object.bytes);
  if (object instanceof PdfBool) return keywordEnd(bytes, at, object.value ? "true" : "false");
  return object instanceof PdfNull ? keywordEnd(bytes, at, "null") : -1;
}

export function keywordEnd(bytes: Uint8Array, at: number, word: string): number {
  const end = at + word.length;
  return wordAt(bytes, at, word) && endsToken(bytes, end) ? end : -1;
}

function within({ bytes, meet, depth = 0 }: StrictReading): StrictReading {
  return { bytes, meet, depth: depth + 1 };
}

function dictionaryEnd(reading: StrictReading, from: number, dict: PdfDict): number {
  const { bytes } = reading;
  let at = afterBlank(bytes, from);
  // The parser keeps the order of appearance.
  for (const [key, value] of dict) {
    let end = nameEnd(bytes, at, key.value);
    while (end < 0) {
      at = repeatedEnd(reading, at, dict);
      if (at < 0) return -1;
      end = nameEnd(bytes, at, key.value);
    }
    at = sameValueEnd(reading, end, value);
    if (at < 0) return -1;
    at = afterBlank(bytes, at);
  }
  while (at >= 0 && bytes[at] === SLASH) at = repeatedEnd(reading, at, dict);
  return bytes[at] === GREATER && bytes[at + 1] === GREATER ? at + 2 : -1;
}

/** Tolerance: gofpdf repeats a resource for each use, with the same value. */
function repeatedEnd(reading: StrictReading, from: number, dict: PdfDict): number {
  const { bytes } = reading;
  let end = from + 1;
  while (!endsToken(bytes, end)) end += 1;
  const value =
    bytes[from] === SLASH ? dict.get(LATIN.decode(bytes.subarray(from + 1, end))) : undefined;
  const after = value ? sameValueEnd(reading, end, value) : -1;
  return after < 0 ? -1 : afterBlank(bytes, after);
}

function arrayEnd(reading: StrictReading, from: number, array: PdfArray): number {
  let at = from;
  for (const item of array) {
    at = sameValueEnd(reading, at, item);
    if (at < 0) return -1;
  }
  at = afterBlank(reading.bytes, at);
  return reading.bytes[at] === CLOSE_ARRAY ? at + 1 : -1;
}

/** Source: ISO 32000-2 §7.3.10. */
function referenceEnd({ bytes, meet }: StrictReading, from: number, ref: PdfRef): number {
  const number = wholeEnd(bytes, from, ref.objectNumber);
  const generation = number < 0 ? -1 : wholeEnd(bytes, afterBlank(bytes, number), ref.generation);
  const end = generation < 0 ? -1 : keywordEnd(bytes, afterBlank(bytes, generation), "R");
  return end >= 0 && meet(ref) ? end : -1;
}

/** Gives -1 for a leading zero, as some readers would look for another object. */
function wholeEnd(bytes: Uint8Array, from: number, expected: number): number {
  let value = 0;
  let at = from;
  for (; at < bytes.length && TOKEN_ENDS[bytes[at] ?? 0] === 0; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  const isPadded = bytes[from] === ZERO && at > from + 1;
  return at > from && value === expected && !isPadded && isBlankOrComment(bytes[at]) ? at : -1;
}

const isBlankOrComment = (byte: number | undefined): boolean => isBlank(byte) || byte === PERCENT;

function spelledNumberEnd(bytes: Uint8Array, at: number, number: PdfNumber): number {
  const end = numberEnd(bytes, at, number.value);
  if (end >= 0 && isBeyondReaders(number))
    noteSpelling(number, LATIN.decode(bytes.subarray(at, end)));
  return end;
}

/** Source: ISO 32000-2 §7.3.3. */
function numberEnd(bytes: Uint8Array, from: number, expected: number): number {
  const isNegative = bytes[from] === MINUS;
  let at = isNegative || bytes[from] === PLUS ? from + 1 : from;
  let [value, digits, decimals] = [0, 0, -1];
  for (; at < bytes.length && TOKEN_ENDS[bytes[at] ?? 0] === 0; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits += 1;
      if (decimals >= 0) decimals += 1;
    } else if (bytes[at] === POINT && decimals < 0) decimals = 0;
    else return -1;
  }
  if (digits === 0) return -1;
  // As many digits as are exact: the quotient is then the nearest number.
  const read =
    digits > EXACT_DIGITS
      ? Number(LATIN.decode(bytes.subarray(from, at)))
      : (isNegative ? -value : value) / 10 ** Math.max(0, decimals);
  return read === expected ? at : -1;
}

/** Source: ISO 32000-2 §7.3.5. */
function nameEnd(bytes: Uint8Array, from: number, expected: string): number {
  if (bytes[from] !== SLASH) return -1;
  let at = from + 1;
  for (let index = 0; ; index += 1) {
    const byte = bytes[at] ?? 0;
    if (at >= bytes.length || TOKEN_ENDS[byte] === 1) return index === expected.length ? at : -1;
    if (byte === HASH || byte > 0x7e) return oddNameEnd(bytes, from + 1, expected);
    if (byte !== expected.charCodeAt(index)) return -1;
    at += 1;
  }
}

/** The parser may have decoded UTF-8. */
function oddNameEnd(bytes: Uint8Array, from: number, expected: string): number {
  const letters: number[] = [];
  let at = from;
  for (; at < bytes.length && TOKEN_ENDS[bytes[at] ?? 0] === 0; at += 1) {
    const letter = bytes[at] === HASH ? codeAt(bytes, at + 1) : (bytes[at] ?? 0);
    if (letter <= 0) return -1;
    if (bytes[at] === HASH) at += 2;
    letters.push(letter);
  }
  const decoded = Uint8Array.from(letters);
  return String.fromCharCode(...letters) === expected || DECODER.decode(decoded) === expected
    ? at
    : -1;
}

function codeAt(bytes: Uint8Array, at: number): number {
  const [high, low] = [hexDigit(bytes[at]), hexDigit(bytes[at + 1])];
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** A missing last digit is 0. Source: ISO 32000-2 §7.3.4.3. */
function hexEnd(bytes: Uint8Array, from: number, expected: Uint8Array): number {
  if (bytes[from] !== LESS) return -1;
  let count = 0;
  let high = 0;
  for (let at = from + 1; at < bytes.length; at += 1) {
    const digit = hexDigit(bytes[at]);
    if (digit >= 0) {
      if ((count & 1) === 0) high = digit;
      else if (expected[count >> 1] !== high * 16 + digit) return -1;
      count += 1;
      continue;
    }
    if (bytes[at] === GREATER) {
      if ((count & 1) === 1 && expected[count >> 1] !== high * 16) return -1;
      return (count + 1) >> 1 === expected.length ? at + 1 : -1;
    }
    if (!isBlank(bytes[at])) return -1;
  }
  return -1;
}
