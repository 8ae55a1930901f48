import { stringEnd } from "../pdf/byte-reader.ts";

export type Syntax =
  | { readonly kind: "dictionary"; readonly entries: ReadonlyMap<string, Syntax> }
  | { readonly kind: "array"; readonly items: readonly Syntax[] }
  | { readonly kind: "name" | "number" | "string" | "word"; readonly text: string }
  | { readonly kind: "reference"; readonly number: number; readonly generation: number };
type Read<T> = { readonly value: T; readonly end: number } | null;

/** Source: ISO 32000-2 §7.2.3, tables 1 and 2. */
const BOUNDARY = "(?=[\\0\\t\\n\\f\\r ()<>[\\]{}/%]|$)";
const SPACE = /[\0\t\n\f\r ]*/y;
const REFERENCE = new RegExp(
  `(\\d{1,10})[\\0\\t\\n\\f\\r ]+(\\d{1,5})[\\0\\t\\n\\f\\r ]+R${BOUNDARY}`,
  "y",
);
const NUMBER = new RegExp(`[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)${BOUNDARY}`, "y");
const LETTERS = /[^\0\t\n\f\r ()<>[\]{}/%#]*/y;
const CODE = /#([0-9A-Fa-f]{2})/y;
const WORD = new RegExp(`(?:true|false|null)${BOUNDARY}`, "y");
const HEX = /<[0-9A-Fa-f\0\t\n\f\r ]*>/y;
/** The parser's limit. */
const MAX_DEPTH = 256;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

export function afterSpace(text: string, at: number): number {
  return at + (match(SPACE, text, at)?.[0].length ?? 0);
}

/**
 * Reads a value as every reader must; null for a comment, a duplicate key or a token that some
 * readers repair.
 * Source: ISO 32000-2 §7.3; §7.3.7 (a duplicate key is undefined).
 */
export function readSyntax(text: string, from: number, depth = 0): Read<Syntax> {
  const at = afterSpace(text, from);
  if (depth > MAX_DEPTH) return null;
  if (text.startsWith("<<", at)) return readDictionary(text, at + 2, depth);
  if (text[at] === "[") return readArray(text, at + 1, depth);
  if (text[at] === "(") {
    const end = stringEnd(text, at);
    return text[end - 1] === ")" && end > at + 1
      ? { value: { kind: "string", text: text.slice(at, end) }, end }
      : null;
  }
  const reference = match(REFERENCE, text, at);
  if (reference) {
    const value = {
      kind: "reference",
      number: Number(reference[1]),
      generation: Number(reference[2]),
    } as const;
    return { value, end: at + reference[0].length };
  }
  return readToken(text, at);
}

function readToken(text: string, at: number): Read<Syntax> {
  const name = readName(text, at);
  if (name) return { value: { kind: "name", text: name.value }, end: name.end };
  for (const [kind, pattern] of [
    ["number", NUMBER],
    ["string", HEX],
    ["word", WORD],
  ] as const) {
    const token = match(pattern, text, at);
    if (token) return { value: { kind, text: token[0] }, end: at + token[0].length };
  }
  return null;
}

/**
 * Run by run: one regular expression would overflow on a name as long as the file.
 * Source: ISO 32000-2 §7.3.5.
 */
function readName(text: string, from: number): Read<string> {
  if (text[from] !== "/") return null;
  const runs: string[] = [];
  for (let at = from + 1; ; ) {
    const letters = match(LETTERS, text, at)?.[0] ?? "";
    at += letters.length;
    runs.push(letters);
    const code = match(CODE, text, at);
    if (!code) return text[at] === "#" ? null : { value: runs.join(""), end: at };
    runs.push(String.fromCharCode(Number.parseInt(code[1] ?? "", 16)));
    at += code[0].length;
  }
}

function readArray(text: string, from: number, depth: number): Read<Syntax> {
  const items: Syntax[] = [];
  for (let at = afterSpace(text, from); ; at = afterSpace(text, at)) {
    if (text[at] === "]") return { value: { kind: "array", items }, end: at + 1 };
    const item = readSyntax(text, at, depth + 1);
    if (!item) return null;
    items.push(item.value);
    at = item.end;
  }
}

function readDictionary(text: string, from: number, depth: number): Read<Syntax> {
  const entries = new Map<string, Syntax>();
  for (let at = afterSpace(text, from); ; at = afterSpace(text, at)) {
    if (text.startsWith(">>", at)) return { value: { kind: "dictionary", entries }, end: at + 2 };
    const key = readName(text, at);
    const item = key && !entries.has(key.value) ? readSyntax(text, key.end, depth + 1) : null;
    if (!key || !item) return null;
    entries.set(key.value, item.value);
    at = item.end;
  }
}

/** Null for anything else. */
export function wholeNumber(value: Syntax | undefined): number | null {
  return value?.kind === "number" && /^\d{1,15}$/.test(value.text) ? Number(value.text) : null;
}

/** Null for anything else. */
export function wholeNumbers(value: Syntax | undefined): readonly number[] | null {
  if (value?.kind !== "array") return null;
  const numbers = value.items.map(wholeNumber);
  return numbers.every((number) => number !== null) ? numbers : null;
}
