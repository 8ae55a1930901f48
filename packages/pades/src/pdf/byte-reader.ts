import { PadesError } from "../pades-error.ts";

const ZERO = 0x30;

/** White space. Source: ISO 32000-2 §7.2.3, table 1. */
export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 ||
  byte === 0x0a ||
  byte === 0x0d ||
  byte === 0x09 ||
  byte === 0x0c ||
  byte === 0x00;

export function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isBlank(bytes[at])) at += 1;
  return at;
}

/** The first place after the white space that every reader accepts between sections. */
export function skipPlainBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09)
    at += 1;
  return at;
}

/** Null without digits, or for too many for an exact number. */
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

export function wordAt(bytes: Uint8Array, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  return true;
}

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

/** `N G obj` without leading zeros, as every reader accepts it. */
export function plainHeaderAt(bytes: Uint8Array, at: number): ReturnType<typeof objectHeaderAt> {
  const number = skipBlank(bytes, at);
  const generation = skipBlank(bytes, integerAt(bytes, number)?.end ?? number);
  const isPadded = [number, generation].some(
    (place) => bytes[place] === ZERO && !isBlank(bytes[place + 1]),
  );
  return isPadded ? null : objectHeaderAt(bytes, at);
}

const CHUNK = 8_192;

let decode = decodeInChunks;

/** One character a byte; TextDecoder's latin1 is Windows-1252, which is not reversible. */
export function latinText(bytes: Uint8Array): string {
  return decode(bytes);
}

/** A native one is seventy times faster. */
export function useLatinText(given: (bytes: Uint8Array) => string): void {
  decode = given;
}

function decodeInChunks(bytes: Uint8Array): string {
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

/** Source: ISO 32000-2 §7.3.4.2. */
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

/** Above any producer's nesting. */
const MAX_DEPTH = 256;
/** The parser silently drops a longer array, and nobody would check its items. */
const MAX_ITEMS = 100_000;

/** The parser loops on them in an array or a dictionary. Source: ISO 32000-2 §7.2.3. */
export const STRAY = new Set(Array.from("){}", (character) => character.charCodeAt(0)));

const [PERCENT, OPEN, CLOSE, LESS, GREATER, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, SLASH, REFERENCE] =
  Array.from("%()<>\\[]/R", (character) => character.charCodeAt(0)) as [
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
const DELIMITERS = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));
const WORD_ENDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  isBlank(byte) || DELIMITERS.has(byte) ? 1 : 0,
);

type Container = { readonly isArray: boolean; items: number };

/**
 * The place behind a value, or the end of the bytes for an endless one.
 * Errors: `pdf_too_complex` for too deep or long a value; `pdf_damaged` for a stray
 * delimiter.
 * Source: ISO 32000-2 §7.2, §7.3.
 */
export function valueEnd(bytes: Uint8Array, from: number): number {
  const containers: Container[] = [];
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (isBlank(byte) || byte === PERCENT) {
      at = byte === PERCENT ? lineEnd(bytes, at) : at + 1;
      continue;
    }
    const end = tokenEnd(bytes, at);
    if (STRAY.has(byte) && containers.length > 0)
      throw new PadesError("pdf_damaged", "Expected a value", {
        offset: at,
        clause: "ISO 32000-2 §7.3",
      });
    const isDouble = end === at + 2 && bytes[at + 1] === byte;
    if (byte === OPEN_ARRAY || (byte === LESS && isDouble)) open(containers, byte === OPEN_ARRAY);
    else if (byte === CLOSE_ARRAY) closeArray(containers);
    else if (byte === GREATER && isDouble) closeDictionary(containers);
    else count(containers, byte === REFERENCE && end === at + 1 ? -1 : 1);
    if (containers.length === 0) return end;
    at = end;
  }
  return bytes.length;
}

function open(containers: Container[], isArray: boolean): void {
  count(containers, 1);
  containers.push({ isArray, items: 0 });
  if (containers.length > MAX_DEPTH)
    throw new PadesError("pdf_too_complex", `Expected at most ${MAX_DEPTH} levels of nesting`);
}

/** A reference is three words and one item. */
function count(containers: readonly Container[], more: number): void {
  const last = containers.at(-1);
  if (!last?.isArray) return;
  last.items += more;
  // Two words count before the third reveals a reference.
  if (last.items > MAX_ITEMS + (more > 0 ? 1 : 0))
    throw new PadesError("pdf_too_complex", `Expected at most ${MAX_ITEMS} items in an array`);
}

/** The parser skips unexpected tokens: at least all it may have open is tracked. */
function closeArray(containers: Container[]): void {
  if (containers.at(-1)?.isArray) containers.pop();
}

function closeDictionary(containers: Container[]): void {
  while (containers.pop()?.isArray);
}

/** Source: ISO 32000-2 §7.2, §7.3. */
export function tokenEnd(bytes: Uint8Array, at: number): number {
  const [byte, next] = [bytes[at], bytes[at + 1]];
  if (byte === OPEN) return literalEnd(bytes, at);
  if ((byte === LESS || byte === GREATER) && next === byte) return at + 2;
  if (byte === LESS) return bytes.indexOf(GREATER, at) + 1 || bytes.length;
  if (byte !== SLASH && WORD_ENDS[byte ?? 0] === 1) return at + 1;
  let end = at + 1;
  while (end < bytes.length && WORD_ENDS[bytes[end] ?? 0] === 0) end += 1;
  return end;
}

/** Source: ISO 32000-2 §7.3.4.2. */
function literalEnd(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

/** Source: ISO 32000-2 §7.2.4. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  return at;
}

const TOKEN = /\(|<<|>>|<[0-9A-Fa-f\s]*>|\[|\]|%[^\r\n]*|\bstream\r?\n|\bendobj\b/g;

/**
 * Refuses nesting at which a parser silently drops the object: nobody would check it.
 * Errors: `pdf_too_complex`.
 */
export function requireBearableNesting(text: string): void {
  let depth = 0;
  // Searched once: a file may begin a hundred thousand streams and end none.
  let streamEnd = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word === "(") TOKEN.lastIndex = stringEnd(text, token.index);
    else if (word === "<<" || word === "[") depth += 1;
    else if (word === ">>" || word === "]") depth = Math.max(0, depth - 1);
    else if (word === "endobj") depth = 0;
    else if (word.startsWith("stream")) {
      if (streamEnd >= 0 && streamEnd < token.index)
        streamEnd = text.indexOf("endstream", token.index);
      if (streamEnd >= 0) TOKEN.lastIndex = streamEnd;
    }
    if (depth > MAX_DEPTH)
      throw new PadesError("pdf_too_complex", `Expected at most ${MAX_DEPTH} levels of nesting`);
  }
}

/** How many bytes may still be read or made for one file. */
export type WorkBudget = { left: number };

const LEAST_BYTES = 128 * 1024 * 1024;
/** A sound file is read at most three times before the parser. */
const TIMES = 8;

/** What one reading of a file may cost. */
export function workBudget(bytes: Uint8Array): WorkBudget {
  return { left: Math.max(LEAST_BYTES, bytes.length * TIMES) };
}

/** Spends from the budget. Errors: `pdf_too_complex` once it is spent. */
export function spend(budget: WorkBudget, amount: number): void {
  budget.left -= amount;
  if (!(budget.left >= 0))
    throw new PadesError(
      "pdf_too_complex",
      "Expected a file that is read in a bearable number of steps",
    );
}
