import { PadesError } from "../pades-error.ts";
import { isBlank, stringEnd } from "./byte-reader.ts";

/** Above any producer's nesting. */
const MAX_DEPTH = 256;
/** The parser silently drops a longer array, and nobody would check its items. */
const MAX_ITEMS = 100_000;

/**
 * Delimiters without a value: the parser loops on them in an array or a dictionary.
 * Source: ISO 32000-2 §7.2.3.
 */
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
 * The place behind a value, or the end of the bytes for an endless one: how far a parser reads it.
 * Errors: PadesError `pdf_too_complex` for deeper or longer values than any honest file has;
 * `pdf_damaged` for a stray delimiter.
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
  // Two words of a reference count before the third reveals it.
  if (last.items > MAX_ITEMS + (more > 0 ? 1 : 0))
    throw new PadesError("pdf_too_complex", `Expected at most ${MAX_ITEMS} items in an array`);
}

/**
 * The parser skips unexpected tokens in a dictionary: at least everything it may have open is
 * tracked.
 */
function closeArray(containers: Container[]): void {
  if (containers.at(-1)?.isArray) containers.pop();
}

function closeDictionary(containers: Container[]): void {
  while (containers.pop()?.isArray);
}

/**
 * The place behind a token: a name, a word, a string, a delimiter.
 * Source: ISO 32000-2 §7.2, §7.3.
 */
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

/** The end of a line, and of a comment. Source: ISO 32000-2 §7.2.4. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  return at;
}

const TOKEN = /\(|<<|>>|<[0-9A-Fa-f\s]*>|\[|\]|%[^\r\n]*|\bstream\r?\n|\bendobj\b/g;

/**
 * Refuses deeper nesting than any producer's before parsing: a parser silently drops such an
 * object, and nobody would check it.
 * Errors: PadesError `pdf_too_complex`.
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
