import {
  type PDF,
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNull,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { hexDigit } from "../asn1/der-reader.ts";
import { PadesError } from "../pades-error.ts";
import {
  type WorkBudget,
  isBlank,
  latinText,
  objectHeaderAt,
  skipBlank,
  wordAt,
} from "./byte-reader.ts";
import { packedPairs } from "./raw-objects.ts";
import type { XrefEntry } from "./read-xref.ts";

/** Mutes the parser, which has no setting for it; synchronous, so nobody else's output is lost. */
export function quietly<T>(work: () => T): T {
  const sink = globalThis.console;
  const { warn } = sink;
  sink.warn = () => undefined;
  try {
    return work();
  } finally {
    sink.warn = warn;
  }
}

type Reading = { readonly bytes: Uint8Array; at: number; depth: number };
type Digits = { readonly value: number; readonly end: number };

const [
  OPEN,
  CLOSE,
  LESS,
  GREATER,
  OPEN_ARRAY,
  CLOSE_ARRAY,
  SLASH,
  BACKSLASH,
  RETURN,
  HASH,
  ZERO,
  POINT,
  MINUS,
] = Array.from("()<>[]/\\\r#0.-", (character) => character.charCodeAt(0)) as [
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
  number,
];
const DELIMITERS = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));
const REGULAR = Uint8Array.from({ length: 256 }, (_, byte) =>
  isBlank(byte) || DELIMITERS.has(byte) ? 0 : 1,
);
const MAX_DEPTH = 32;
const MOST_DIGITS = 15;
const LAST_GENERATION = 65_535;
const KEYWORDS: readonly (readonly [string, PdfObject])[] = [
  ["true", PdfBool.TRUE],
  ["false", PdfBool.FALSE],
  ["null", PdfNull.instance],
];

/**
 * Reads a dictionary or array so plain that every reader agrees, faster than the parser; null
 * leaves it to the parser.
 * Source: ISO 32000-2 §7.3.
 */
export function plainObjectAt(bytes: Uint8Array, offset: number, ref: PdfRef): PdfObject | null {
  const header = objectHeaderAt(bytes, offset);
  if (header?.number !== ref.objectNumber || header.generation !== ref.generation) return null;
  const reading: Reading = { bytes, at: skipBlank(bytes, header.end), depth: 0 };
  const first = bytes[reading.at];
  const value = first === OPEN_ARRAY || first === LESS ? readValue(reading) : null;
  if (value === null || value instanceof PdfString) return null;
  return wordAt(bytes, skipBlank(bytes, reading.at), "endobj") ? value : null;
}

function readValue(reading: Reading): PdfObject | null {
  const { bytes } = reading;
  reading.at = skipBlank(bytes, reading.at);
  const byte = bytes[reading.at] ?? 0;
  if (byte === SLASH) return readName(reading);
  if (byte === LESS)
    return bytes[reading.at + 1] === LESS ? readWithin(reading, readDict) : readHexString(reading);
  if (byte === OPEN_ARRAY) return readWithin(reading, readArray);
  if (byte === OPEN) return readLiteralString(reading);
  return readReference(reading) ?? readNumber(reading) ?? readKeyword(reading);
}

function readWithin(
  reading: Reading,
  read: (reading: Reading) => PdfObject | null,
): PdfObject | null {
  if (reading.depth >= MAX_DEPTH) return null;
  reading.depth += 1;
  const value = read(reading);
  reading.depth -= 1;
  return value;
}

function readDict(reading: Reading): PdfDict | null {
  const { bytes } = reading;
  const entries = new Map<PdfName, PdfObject>();
  reading.at += 2;
  for (;;) {
    reading.at = skipBlank(bytes, reading.at);
    if (bytes[reading.at] === GREATER && bytes[reading.at + 1] === GREATER) break;
    const key = readName(reading);
    const value = key && !entries.has(key) ? readValue(reading) : null;
    if (key === null || value === null) return null;
    entries.set(key, value);
  }
  reading.at += 2;
  return new PdfDict(entries);
}

function readArray(reading: Reading): PdfArray | null {
  const { bytes } = reading;
  const items: PdfObject[] = [];
  reading.at += 1;
  for (;;) {
    reading.at = skipBlank(bytes, reading.at);
    if (bytes[reading.at] === CLOSE_ARRAY) break;
    const item = readValue(reading);
    if (item === null) return null;
    items.push(item);
  }
  reading.at += 1;
  return new PdfArray(items);
}

function readName(reading: Reading): PdfName | null {
  const { bytes, at } = reading;
  if (bytes[at] !== SLASH) return null;
  let end = at + 1;
  for (let byte = bytes[end] ?? 0; REGULAR[byte] === 1; byte = bytes[end] ?? 0) {
    if (byte === HASH || byte < 0x21 || byte > 0x7e) return null;
    end += 1;
  }
  if (end === at + 1) return null;
  reading.at = end;
  return PdfName.of(latinText(bytes.subarray(at + 1, end)));
}

function readHexString(reading: Reading): PdfString | null {
  const { bytes } = reading;
  const start = reading.at + 1;
  const end = bytes.indexOf(GREATER, start);
  if (end < 0 || (end - start) % 2 !== 0) return null;
  const value = new Uint8Array((end - start) / 2);
  for (let index = 0; index < value.length; index += 1) {
    const high = hexDigit(bytes[start + index * 2]);
    const low = hexDigit(bytes[start + index * 2 + 1]);
    if (high < 0 || low < 0) return null;
    value[index] = high * 16 + low;
  }
  reading.at = end + 1;
  return new PdfString(value, "hex");
}

function readLiteralString(reading: Reading): PdfString | null {
  const { bytes } = reading;
  const start = reading.at + 1;
  let end = start;
  for (; bytes[end] !== CLOSE; end += 1)
    if (
      end >= bytes.length ||
      bytes[end] === BACKSLASH ||
      bytes[end] === OPEN ||
      bytes[end] === RETURN
    )
      return null;
  reading.at = end + 1;
  return new PdfString(bytes.slice(start, end), "literal");
}

function readReference(reading: Reading): PdfRef | null {
  const { bytes } = reading;
  const number = wholeAt(bytes, reading.at);
  const generation =
    number && isBlank(bytes[number.end]) ? wholeAt(bytes, skipBlank(bytes, number.end)) : null;
  if (
    !number ||
    !generation ||
    generation.value > LAST_GENERATION ||
    !isBlank(bytes[generation.end])
  )
    return null;
  const keyword = skipBlank(bytes, generation.end);
  if (!wordAt(bytes, keyword, "R") || REGULAR[bytes[keyword + 1] ?? 0] === 1) return null;
  reading.at = keyword + 1;
  return PdfRef.of(number.value, generation.value);
}

function wholeAt(bytes: Uint8Array, from: number): Digits | null {
  let [value, end] = [0, from];
  for (let byte = bytes[end] ?? 0; REGULAR[byte] === 1; byte = bytes[end] ?? 0) {
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
    end += 1;
  }
  return end === from || end - from > MOST_DIGITS ? null : { value, end };
}

function readNumber(reading: Reading): PdfNumber | null {
  const { bytes, at } = reading;
  const whole = wholeAt(bytes, at);
  if (whole) {
    reading.at = whole.end;
    return PdfNumber.of(whole.value);
  }
  let end = bytes[at] === MINUS ? at + 1 : at;
  const digits = end;
  let points = 0;
  for (let byte = bytes[end] ?? 0; REGULAR[byte] === 1; byte = bytes[end] ?? 0) {
    if (byte === POINT) points += 1;
    else if (byte < ZERO || byte > ZERO + 9) return null;
    end += 1;
  }
  if (points > 1 || end === digits + points || end - digits > MOST_DIGITS) return null;
  reading.at = end;
  return PdfNumber.of(Number(latinText(bytes.subarray(at, end))));
}

function readKeyword(reading: Reading): PdfObject | null {
  const { bytes, at } = reading;
  const found = KEYWORDS.find(
    ([word]) => wordAt(bytes, at, word) && REGULAR[bytes[at + word.length] ?? 0] === 0,
  );
  if (!found) return null;
  reading.at += found[0].length;
  return found[1];
}

type Resolver = (ref: PdfRef) => PdfObject | null;
type Entries = ReadonlyMap<number, XrefEntry>;

/**
 * Binds the parser to the cross-reference: it ignores generations, and takes from an object stream
 * whatever has the index.
 * Shape: false when the parser has read something else already.
 * Errors: `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.3.10, §7.5.7.
 */
export function obeysXref(
  pdf: PDF,
  { bytes, entries }: { readonly bytes: Uint8Array; readonly entries: Entries },
  budget: WorkBudget,
): boolean {
  const { registry } = pdf.context;
  const isCurrent = ({ objectNumber, generation }: PdfRef): boolean => {
    const entry = entries.get(objectNumber);
    return entry === undefined || generation === (entry.kind === "plain" ? entry.generation : 0);
  };
  if ([...registry.getLoadedObjects().keys()].some((ref) => !isCurrent(ref))) return false;
  const resolve = resolveQuietly(pdf);
  const read: Resolver = (ref) => {
    const entry = pdf.isEncrypted ? undefined : entries.get(ref.objectNumber);
    return (
      (entry?.kind === "plain" ? plainObjectAt(bytes, entry.offset, ref) : null) ?? resolve(ref)
    );
  };
  registry.setResolver((ref) => (isCurrent(ref) ? read(ref) : null));
  return arePackedAsSaid(resolve, entries, budget);
}

/** The parser reads each unreadable object only once. */
export function resolveQuietly(pdf: PDF): Resolver {
  const { registry } = pdf.context;
  const resolve = Reflect.get(registry, "resolver") as Resolver;
  const missing = new Set<string>();
  const once: Resolver = (ref) => {
    const key = `${ref.objectNumber} ${ref.generation}`;
    const object = missing.has(key) ? null : quietly(() => resolve(ref));
    if (object === null) missing.add(key);
    return object;
  };
  registry.setResolver(once);
  return once;
}

function arePackedAsSaid(resolve: Resolver, entries: Entries, budget: WorkBudget): boolean {
  const streams = new Map<number, [number, number][]>();
  for (const [number, entry] of entries) {
    if (entry.kind !== "packed") continue;
    const listed = streams.get(entry.stream) ?? [];
    listed.push([number, entry.index]);
    streams.set(entry.stream, listed);
  }
  const extended = new Map<number, number>();
  for (const [number, listed] of streams) {
    const stream = resolve(PdfRef.of(number, 0));
    if (!(stream instanceof PdfStream)) return false;
    const numbers = packedNumbers(stream, budget);
    if (!numbers || listed.some(([packed, index]) => numbers[index] !== packed)) return false;
    const base = stream.get("Extends");
    if (base instanceof PdfRef) extended.set(number, base.objectNumber);
  }
  return !comesBack(extended);
}

/** Some readers find objects in a cycle, some loop. Source: ISO 32000-2 §7.5.7. */
function comesBack(extended: ReadonlyMap<number, number>): boolean {
  const done = new Set<number>();
  for (const start of extended.keys()) {
    const way = new Set<number>();
    for (
      let at: number | undefined = start;
      at !== undefined && !done.has(at);
      at = extended.get(at)
    ) {
      if (way.has(at)) return true;
      way.add(at);
    }
    for (const number of way) done.add(number);
  }
  return false;
}

function packedNumbers(stream: PdfStream, budget: WorkBudget): readonly number[] | null {
  try {
    const data = stream.getDecodedData();
    const first = stream.getNumber("First")?.value ?? 0;
    const pairs = packedPairs(data.subarray(0, first), stream.getNumber("N")?.value ?? 0, budget);
    return pairs?.map(({ number }) => number) ?? null;
  } catch (error) {
    if (error instanceof PadesError) throw error;
    return null;
  }
}
