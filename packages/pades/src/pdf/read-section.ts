import { integerAt, isBlank, objectHeaderAt, skipBlank, skipPlainBlank, wordAt } from "./byte-reader.ts";
import { decodedStream, rawStream } from "./raw-stream.ts";
import { type RawDictionary, readDictionary, wholeNumber, wholeNumbers } from "./read-dictionary.ts";
import { spend, type WorkBudget } from "./work-budget.ts";
import { sameEntry, type XrefEntry } from "./xref-types.ts";

/** One cross-reference section. `isPlain`: the parser reads it as it is. */
export type XrefSection = {
  readonly style: "table" | "stream";
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly trailer: RawDictionary;
  readonly isPlain: boolean;
};

/** Wider fields are whole numbers all the same: the standard sets no limit, and some producers write eight bytes. */
const MAX_FIELD_BYTES = 16;
const PARSER_FIELD_BYTES = 6;
/** Source: ISO 32000-1 annex C, table C.1: beyond it readers give the table up and look for objects themselves, in streams too. */
const MAX_OBJECT_NUMBER = 8_388_607;
/** What one row costs once it is held, in bytes. */
const ROW_COST = 128;

/**
 * Reads the section at a place, a table or a stream; null for anything else, for one that says two things of an object, and for one of
 * more objects than a file may have.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
 */
export function readSection(bytes: Uint8Array, at: number, budget: WorkBudget): XrefSection | null {
  const section = sectionAt(bytes, at, budget);
  const size = section ? wholeNumber(section.trailer, "Size") : null;
  return size === null || (size ?? 0) > MAX_OBJECT_NUMBER ? null : section;
}

function sectionAt(bytes: Uint8Array, at: number, budget: WorkBudget): XrefSection | null {
  // Tolerance: node-signpdf names the end of line before the table; every reader steps over it.
  const word = skipPlainBlank(bytes, at);
  if (wordAt(bytes, word, "xref") && isBlank(bytes[word + 4])) {
    const table = readTable(bytes, word + 4, budget);
    return table && { ...table, isPlain: table.isPlain && word === at };
  }
  const header = integerAt(bytes, at) ? objectHeaderAt(bytes, at) : null;
  return header && header.number > 0 ? readStream(bytes, header.end, budget) : null;
}

/** What one row says; `isFree`: in so many words, not by leading nowhere. */
type Said = { readonly entry: XrefEntry; readonly isFree: boolean };

/**
 * A section has one row for an object: readers take the first or the last of several. Object 0 is free: readers that meet it in use give
 * the section up. Source: ISO 32000-2 §7.5.4.
 */
function put(entries: Map<number, XrefEntry>, number: number, { entry, isFree }: Said): boolean {
  if (number === 0 && !isFree) return false;
  const known = entries.get(number);
  if (known) return sameEntry(known, entry);
  entries.set(number, entry);
  return number <= MAX_OBJECT_NUMBER;
}

/**
 * Reads a table. A subsection that begins at 1 with a free row is refused: some readers take it for the head of the free list, and count
 * from 0, and others do not.
 * Source: ISO 32000-2 §7.5.4.
 */
function readTable(bytes: Uint8Array, from: number, budget: WorkBudget): XrefSection | null {
  const entries = new Map<number, XrefEntry>();
  let isPlain = true;
  let at = skipBlank(bytes, from);
  while (!wordAt(bytes, at, "trailer")) {
    const first = integerAt(bytes, at);
    const count = first ? integerAt(bytes, skipBlank(bytes, first.end)) : null;
    if (!first || !count) return null;
    at = skipBlank(bytes, count.end);
    for (let index = 0; index < count.value; index += 1) {
      spend(budget, ROW_COST);
      const row = readRow(bytes, at);
      if (!row || (index === 0 && first.value === 1 && row.isFree)) return null;
      if (!put(entries, first.value + index, row)) return null;
      isPlain &&= row.isPlain;
      at = row.end;
    }
  }
  const trailer = readDictionary(bytes, at + "trailer".length, budget);
  return trailer ? { style: "table", entries, trailer, isPlain } : null;
}

type Row = Said & { readonly isPlain: boolean; readonly end: number };

function readRow(bytes: Uint8Array, at: number): Row | null {
  const offset = integerAt(bytes, at);
  const generation = offset ? integerAt(bytes, skipBlank(bytes, offset.end)) : null;
  if (!offset || !generation) return null;
  const kind = skipBlank(bytes, generation.end);
  const isPlain = offset.end - at === 10 && generation.end - skipBlank(bytes, offset.end) === 5;
  const rest = { isPlain, end: skipBlank(bytes, kind + 1) };
  if (bytes[kind] === 0x66) return { entry: { kind: "free" }, isFree: true, ...rest };
  if (bytes[kind] !== 0x6e) return null;
  return { entry: plainEntry(offset.value, generation.value), isFree: false, ...rest };
}

/** No object begins where the file does: such a row means that there is none. */
function plainEntry(offset: number, generation: number): XrefEntry {
  return offset === 0 ? { kind: "free" } : { kind: "plain", offset, generation };
}

/** Source: ISO 32000-2 §7.5.8. */
function readStream(bytes: Uint8Array, from: number, budget: WorkBudget): XrefSection | null {
  const trailer = readDictionary(bytes, skipBlank(bytes, from), budget);
  const stream = trailer?.entries.get("Type")?.text === "/XRef" ? rawStream(bytes, trailer, budget) : null;
  const data = trailer && stream ? decodedStream(trailer, stream.data, budget) : null;
  const widths = trailer ? wholeNumbers(trailer, "W") : null;
  const size = trailer ? wholeNumber(trailer, "Size") : null;
  const index = trailer ? wholeNumbers(trailer, "Index") : null;
  if (!trailer || !data || !widths || widths.length < 3 || typeof size !== "number" || index === null) return null;
  const ranges = index ?? [0, size];
  if (ranges.length % 2 !== 0 || widths.some((width) => width > MAX_FIELD_BYTES)) return null;
  const entries = new Map<number, XrefEntry>();
  let at = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    for (let number = 0; number < (ranges[range + 1] ?? 0); number += 1) {
      spend(budget, ROW_COST);
      const fields = readFields(data, at, widths);
      if (!fields || !put(entries, (ranges[range] ?? 0) + number, fields)) return null;
      at = fields.end;
    }
  }
  return {
    style: "stream",
    entries,
    trailer,
    isPlain: widths.slice(0, 3).every((width) => width <= PARSER_FIELD_BYTES) && widths.length === 3,
  };
}

/** Source: ISO 32000-2 §7.5.8.3: a field of width 0 has its default; a type that is not known refers to nothing. */
function readFields(data: Uint8Array, from: number, widths: readonly number[]): (Said & { readonly end: number }) | null {
  const values: number[] = [];
  let at = from;
  for (const width of widths) {
    let value = 0;
    for (let index = 0; index < width; index += 1) value = value * 256 + (data[at + index] ?? 0);
    values.push(value);
    at += width;
  }
  if (at > data.length || at === from || values.some((value) => !Number.isSafeInteger(value))) return null;
  const [type = 0, second = 0, third = 0] = values;
  const kind = widths[0] === 0 ? 1 : type;
  if (kind === 1) return { entry: plainEntry(second, third), isFree: false, end: at };
  const entry: XrefEntry = kind === 2 ? { kind: "packed", stream: second, index: third } : { kind: "free" };
  return { entry, isFree: kind !== 2, end: at };
}
