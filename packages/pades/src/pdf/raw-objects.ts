import { PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import {
  STRAY,
  type WorkBudget,
  findWord,
  isBlank,
  latinText,
  lineEnd,
  skipBlank,
  spend,
  tokenEnd,
  wordAt,
} from "./byte-reader.ts";
import { inflatedLength } from "./deflate.ts";

type RawValue = { readonly text: string; readonly bytes: Uint8Array };

export type RawDictionary = {
  readonly entries: ReadonlyMap<string, RawValue>;
  readonly end: number;
};

const MOST_BYTES = 1 << 16;
const COST = 6;
const [LESS, GREATER, OPEN_ARRAY, CLOSE_ARRAY, OPEN, SLASH, PERCENT, LETTER_R] = Array.from(
  "<>[](/%R",
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/**
 * Reads a dictionary before the parser runs; null for anything else, or a duplicate key, which
 * readers resolve differently.
 * Errors: `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.3.7.
 */
export function readDictionary(
  bytes: Uint8Array,
  at: number,
  budget?: WorkBudget,
): RawDictionary | null {
  const first = skipBlank(bytes, at);
  if (budget) spend(budget, first - at);
  if (!wordAt(bytes, first, "<<") && !wordAt(bytes, first, "%")) return null;
  const found = readWithin(bytes.subarray(0, at + MOST_BYTES), at);
  // A hundred thousand objects may point at the same dictionary.
  if (budget)
    spend(budget, COST * (found ? found.end - at : Math.min(MOST_BYTES, bytes.length - at)));
  return found;
}

function readWithin(bytes: Uint8Array, at: number): RawDictionary | null {
  const entries = new Map<string, RawValue>();
  let token = nextToken(bytes, at);
  if (token?.kind !== "open" || bytes[token.start] !== LESS) return null;
  for (token = nextToken(bytes, token.end); token; token = nextToken(bytes, token.end)) {
    if (token.kind === "close" && bytes[token.start] === GREATER)
      return { entries, end: token.end };
    const value = token.kind === "name" ? valueAfter(bytes, token.end) : null;
    const key = value ? decodedName(latinText(bytes.subarray(token.start + 1, token.end))) : "";
    if (!value || entries.has(key)) return null;
    const written = bytes.subarray(value.start, value.end);
    entries.set(key, { text: latinText(written), bytes: written });
    token = value;
  }
  return null;
}

type Token = {
  readonly kind: "open" | "close" | "name" | "other";
  readonly start: number;
  readonly end: number;
};

function nextToken(bytes: Uint8Array, from: number): Token | null {
  const start = afterBlank(bytes, from);
  if (start >= bytes.length) return null;
  const byte = bytes[start];
  const end = tokenEnd(bytes, start);
  if (byte === OPEN || byte === SLASH)
    return { kind: byte === SLASH ? "name" : "other", start, end };
  if (byte === OPEN_ARRAY || byte === CLOSE_ARRAY)
    return { kind: byte === OPEN_ARRAY ? "open" : "close", start, end };
  if (byte === LESS || byte === GREATER) {
    if (end === start + 2 && bytes[start + 1] === byte)
      return { kind: byte === LESS ? "open" : "close", start, end };
    return byte === LESS && isHexString(bytes, start, end) ? { kind: "other", start, end } : null;
  }
  return STRAY.has(byte ?? 0) ? null : { kind: "other", start, end };
}

function afterBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isBlank(bytes[at]) || bytes[at] === PERCENT)
    at = bytes[at] === PERCENT ? lineEnd(bytes, at) : at + 1;
  return at;
}

function isHexString(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes[end - 1] === GREATER && bytes.subarray(start + 1, end).indexOf(LESS) < 0;
}

function valueAfter(bytes: Uint8Array, from: number): Token | null {
  const first = nextToken(bytes, from);
  if (!first || first.kind === "close") return null;
  let { end } = first;
  if (first.kind === "open") {
    for (let depth = 1; depth > 0; ) {
      const token = nextToken(bytes, end);
      if (!token) return null;
      if (token.kind === "open") depth += 1;
      if (token.kind === "close") depth -= 1;
      end = token.end;
    }
    return { ...first, end };
  }
  const second = isDigits(bytes, first) ? nextToken(bytes, end) : null;
  const third = second && isDigits(bytes, second) ? nextToken(bytes, second.end) : null;
  return third && third.end === third.start + 1 && bytes[third.start] === LETTER_R
    ? { ...first, end: third.end }
    : first;
}

function isDigits(bytes: Uint8Array, { start, end }: Token): boolean {
  let at = start;
  while ((bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39) at += 1;
  return at === end;
}

function decodedName(name: string): string {
  return name.replace(/#([0-9a-fA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export function wholeNumber(dictionary: RawDictionary, key: string): number | null | undefined {
  const value = dictionary.entries.get(key);
  if (!value) return undefined;
  return /^\d{1,15}$/.test(value.text) ? Number(value.text) : null;
}

export function wholeNumbers(
  dictionary: RawDictionary,
  key: string,
): readonly number[] | null | undefined {
  const value = dictionary.entries.get(key);
  if (!value) return undefined;
  const inside = /^\[([\0\t\n\f\r \d]*)\]$/.exec(value.text)?.[1];
  return inside === undefined ? null : (inside.match(/\d+/g) ?? []).map(Number);
}

type PackedPair = { readonly number: number; readonly at: number };

const DECODER = new TextDecoder("latin1");

/**
 * The index of an object stream; null unless its offsets differ: a few bytes would be read a
 * hundred thousand times.
 * Errors: `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.5.7.
 */
export function packedPairs(
  head: Uint8Array,
  count: number,
  budget: WorkBudget,
): readonly PackedPair[] | null {
  spend(budget, head.length);
  const tokens = DECODER.decode(head)
    .split(/[\0\t\n\f\r ]+/)
    .filter((token) => token !== "");
  // « 3.0 » is a number for some readers only.
  if (
    tokens.length < count * 2 ||
    !tokens.slice(0, count * 2).every((token) => /^\d{1,10}$/.test(token))
  )
    return null;
  const pairs = Array.from({ length: count }, (_, index) => ({
    number: Number(tokens[index * 2]),
    at: Number(tokens[index * 2 + 1]),
  }));
  return new Set(pairs.map(({ at }) => at)).size === pairs.length ? pairs : null;
}

const PARAMETERS = ["Predictor", "Columns", "Colors", "BitsPerComponent", "EarlyChange"];
const FILTERS = new Set(["FlateDecode", "ASCIIHexDecode", "ASCII85Decode"]);
const END = "endstream";

type RawStream = { readonly data: Uint8Array; readonly end: number };

/**
 * The stream's raw data; null when neither its length nor the keyword shows the end.
 * Errors: `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.3.8.1.
 */
export function rawStream(
  bytes: Uint8Array,
  dictionary: RawDictionary,
  budget: WorkBudget,
): RawStream | null {
  const told = streamOfLength(bytes, dictionary, wholeNumber(dictionary, "Length"));
  const start = dataStart(bytes, dictionary);
  if (told || start === null) return told;
  const end = findWord(bytes, END, start);
  spend(budget, end - start);
  return end < bytes.length ? { data: bytes.subarray(start, end), end: end + END.length } : null;
}

export function streamOfLength(
  bytes: Uint8Array,
  dictionary: RawDictionary,
  length: number | null | undefined,
): RawStream | null {
  const start = dataStart(bytes, dictionary);
  if (start === null || typeof length !== "number") return null;
  const keyword = skipBlank(bytes, start + length);
  return wordAt(bytes, keyword, END)
    ? { data: bytes.subarray(start, start + length), end: keyword + END.length }
    : null;
}

export function dataStart(bytes: Uint8Array, dictionary: RawDictionary): number | null {
  const keyword = skipBlank(bytes, dictionary.end);
  if (!wordAt(bytes, keyword, "stream")) return null;
  let start = keyword + "stream".length;
  if (bytes[start] === 0x0d) start += 1;
  if (bytes[start] === 0x0a) start += 1;
  return start;
}

function filterOf(dictionary: RawDictionary): string | null {
  const filter = dictionary.entries.get("Filter")?.text;
  if (filter === undefined || /^\[\s*\]$/.test(filter)) return "";
  return /^(?:\[\s*)?\/([A-Za-z0-9]+)(?:\s*\])?$/.exec(filter)?.[1] ?? null;
}

/**
 * Null for two filters, unknown ones or broken data; `LZWDecode` predates such streams.
 * Errors: `pdf_too_complex` once the budget is spent.
 */
export function decodedStream(
  dictionary: RawDictionary,
  data: Uint8Array,
  budget: WorkBudget,
): Uint8Array | null {
  const name = filterOf(dictionary);
  if (name === "") return data;
  if (name === null || !FILTERS.has(name)) return null;
  const { length, consumed } =
    name === "FlateDecode"
      ? inflatedLength(data, budget.left)
      : { length: 0, consumed: data.length };
  spend(budget, length + consumed);
  const written = dictionary.entries.get("DecodeParms")?.text ?? "";
  const parameters = PARAMETERS.flatMap((key): [string, PdfNumber][] => {
    const value = new RegExp(`/${key}[\\0\\t\\n\\f\\r ]*(\\d+)`).exec(written)?.[1];
    return value === undefined ? [] : [[key, PdfNumber.of(Number(value))]];
  });
  // The parser loops on a row without columns.
  if (
    parameters.some(
      ([key, { value }]) => key !== "Predictor" && key !== "EarlyChange" && value === 0,
    )
  )
    return null;
  try {
    return PdfStream.fromDict(
      { Filter: PdfName.of(name), DecodeParms: PdfDict.of(Object.fromEntries(parameters)) },
      data,
    ).getDecodedData();
  } catch {
    return null;
  }
}
