import { PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { findWord, skipBlank, wordAt } from "./byte-reader.ts";
import { inflatedLength } from "./inflated-length.ts";
import { type RawDictionary, wholeNumber } from "./read-dictionary.ts";
import { spend, type WorkBudget } from "./work-budget.ts";

/** An object in an object stream: its number, its offset in the stream. */
type PackedPair = { readonly number: number; readonly at: number };

const DECODER = new TextDecoder("latin1");

/**
 * The index of an object stream; null unless it is `count` pairs of whole numbers with distinct
 * offsets: a few bytes would otherwise be read a hundred thousand times.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
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
 * The raw data of the stream after this dictionary, and its end.
 * Shape: null without a stream, or when neither its length nor the keyword shows the end.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
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

/** The same for a known length; null when the stream does not end there. */
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

/** Where a stream's data begins; null when none follows the dictionary. */
export function dataStart(bytes: Uint8Array, dictionary: RawDictionary): number | null {
  const keyword = skipBlank(bytes, dictionary.end);
  if (!wordAt(bytes, keyword, "stream")) return null;
  let start = keyword + "stream".length;
  if (bytes[start] === 0x0d) start += 1;
  if (bytes[start] === 0x0a) start += 1;
  return start;
}

/** A stream's only filter, "" for none; null for several or anything else. */
function filterOf(dictionary: RawDictionary): string | null {
  const filter = dictionary.entries.get("Filter")?.text;
  if (filter === undefined || /^\[\s*\]$/.test(filter)) return "";
  return /^(?:\[\s*)?\/([A-Za-z0-9]+)(?:\s*\])?$/.exec(filter)?.[1] ?? null;
}

/**
 * The decoded data of a cross-reference or object stream; null for two filters, unknown ones or
 * broken data. `LZWDecode` predates such streams.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
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
    // An undecodable stream is no cross-reference: the caller scans for objects.
    return null;
  }
}
