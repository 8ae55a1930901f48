import { skipBlank, wordAt } from "./byte-reader.ts";
import { latinText } from "./latin-text.ts";
import { stringEnd } from "./string-end.ts";
import { spend, type WorkBudget } from "./work-budget.ts";

/** A value's syntax, as text and as it stands in the file. */
type RawValue = { readonly text: string; readonly bytes: Uint8Array };

/** The first level of a dictionary. `end` is the place after it. */
export type RawDictionary = { readonly entries: ReadonlyMap<string, RawValue>; readonly end: number };

const SIZES = [256, 4_096, 1 << 16];
/** A word costs several times what a byte does. */
const COST = 6;
const BLANK = /(?:[\0\t\n\f\r ]+|%[^\r\n]*)+/y;
const WORD = /<<|>>|<[^<>]*>|[[\]]|\/[^\0\t\n\f\r ()<>[\]{}/%]*|[^\0\t\n\f\r ()<>[\]{}/%]+/y;

/**
 * Reads the dictionary that stands at a place, without a parser: trailers and cross-reference streams come before one.
 * Shape: null for anything else, for one that is not closed, and for a key that is there twice, of which readers take one or the other.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.3.7.
 */
export function readDictionary(bytes: Uint8Array, at: number, budget?: WorkBudget): RawDictionary | null {
  const first = skipBlank(bytes, at);
  if (budget) spend(budget, first - at);
  if (!wordAt(bytes, first, "<<") && !wordAt(bytes, first, "%")) return null;
  for (const size of SIZES) {
    const found = readWithin(bytes, at, size);
    // What was looked at, found or not: the same place may be a dictionary's beginning for a hundred thousand objects.
    if (budget) spend(budget, COST * (found ? found.end - at : Math.min(size, bytes.length - at)));
    if (found) return found;
  }
  return null;
}

function readWithin(bytes: Uint8Array, origin: number, size: number): RawDictionary | null {
  const text = latinText(bytes.subarray(origin, origin + size));
  const entries = new Map<string, RawValue>();
  let token = nextToken(text, 0);
  if (token?.word !== "<<") return null;
  for (token = nextToken(text, token.end); token; token = nextToken(text, token.end)) {
    if (token.word === ">>") return { entries, end: origin + token.end };
    const key = decodedName(token.word);
    const value = key === null ? null : valueAfter(text, token.end);
    if (key === null || !value || entries.has(key)) return null;
    entries.set(key, {
      text: text.slice(value.start, value.end),
      bytes: bytes.subarray(origin + value.start, origin + value.end),
    });
    token = { ...token, end: value.end };
  }
  return null;
}

type Token = { readonly word: string; readonly start: number; readonly end: number };

function nextToken(text: string, from: number): Token | null {
  BLANK.lastIndex = from;
  const start = from + (BLANK.exec(text)?.[0].length ?? 0);
  if (start >= text.length) return null;
  if (text[start] === "(") {
    const end = stringEnd(text, start);
    return { word: text.slice(start, end), start, end };
  }
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0];
  return word ? { word, start, end: start + word.length } : null;
}

/** Takes one value: a nested one whole, a reference with its three words. */
function valueAfter(text: string, from: number): { start: number; end: number } | null {
  const first = nextToken(text, from);
  if (!first || first.word === ">>" || first.word === "]") return null;
  let end = first.end;
  if (first.word === "<<" || first.word === "[") {
    for (let depth = 1; depth > 0; ) {
      const token = nextToken(text, end);
      if (!token) return null;
      if (token.word === "<<" || token.word === "[") depth += 1;
      if (token.word === ">>" || token.word === "]") depth -= 1;
      end = token.end;
    }
    return { start: first.start, end };
  }
  const second = /^\d+$/.test(first.word) ? nextToken(text, end) : null;
  const third = second && /^\d+$/.test(second.word) ? nextToken(text, second.end) : null;
  return { start: first.start, end: third?.word === "R" ? third.end : end };
}

function decodedName(word: string): string | null {
  if (!word.startsWith("/")) return null;
  return word.slice(1).replace(/#([0-9a-fA-F]{2})/g, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Gives an entry that is a whole number written there itself; undefined when there is none, null when it is something else. */
export function wholeNumber(dictionary: RawDictionary, key: string): number | null | undefined {
  const value = dictionary.entries.get(key);
  if (!value) return undefined;
  return /^\d{1,15}$/.test(value.text) ? Number(value.text) : null;
}

/** Gives an entry that is an array of whole numbers; undefined when there is none, null when it is something else. */
export function wholeNumbers(dictionary: RawDictionary, key: string): readonly number[] | null | undefined {
  const value = dictionary.entries.get(key);
  if (!value) return undefined;
  const inside = /^\[([\0\t\n\f\r \d]*)\]$/.exec(value.text)?.[1];
  return inside === undefined ? null : (inside.match(/\d+/g) ?? []).map(Number);
}
