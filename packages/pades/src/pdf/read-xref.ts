import { PdfRef } from "@libpdf/core";
import {
  type WorkBudget,
  integerAt,
  isBlank,
  objectHeaderAt,
  plainHeaderAt,
  skipBlank,
  skipPlainBlank,
  spend,
  valueEnd,
  wordAt,
  workBudget,
} from "./byte-reader.ts";
import {
  type RawDictionary,
  decodedStream,
  packedPairs,
  rawStream,
  readDictionary,
  streamOfLength,
  wholeNumber,
  wholeNumbers,
} from "./raw-objects.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";

/** One cross-reference section. `isPlain`: the parser reads it the same way. */
export type XrefSection = {
  readonly style: "table" | "stream";
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly trailer: RawDictionary;
  readonly isPlain: boolean;
};

/** The standard sets no limit; some producers write eight bytes. */
const MAX_FIELD_BYTES = 16;
const PARSER_FIELD_BYTES = 6;
/**
 * Beyond it readers ignore the table and scan for objects.
 * Source: ISO 32000-1 annex C, table C.1.
 */
const MAX_OBJECT_NUMBER = 8_388_607;
const ROW_COST = 128;

/**
 * Reads the table or stream at a place; null for anything else.
 * Errors: `pdf_too_complex` once the budget is spent.
 */
export function readSection(bytes: Uint8Array, at: number, budget: WorkBudget): XrefSection | null {
  const section = sectionAt(bytes, at, budget);
  const size = section ? wholeNumber(section.trailer, "Size") : null;
  return size === null || (size ?? 0) > MAX_OBJECT_NUMBER ? null : section;
}

function sectionAt(bytes: Uint8Array, at: number, budget: WorkBudget): XrefSection | null {
  // Tolerance: node-signpdf's offset points at the end of line before the table; every reader skips
  // it.
  const word = skipPlainBlank(bytes, at);
  if (wordAt(bytes, word, "xref") && isBlank(bytes[word + 4])) {
    const table = readTable(bytes, word + 4, budget);
    return table && { ...table, isPlain: table.isPlain && word === at };
  }
  const header = integerAt(bytes, at) ? objectHeaderAt(bytes, at) : null;
  return header && header.number > 0 ? readStream(bytes, header.end, budget) : null;
}

/** `isFree`: marked free, not merely leading nowhere. */
type Said = { readonly entry: XrefEntry; readonly isFree: boolean };

/**
 * Readers take the first or the last of several rows; some reject a section that uses object 0.
 * Source: ISO 32000-2 §7.5.4.
 */
function put(entries: Map<number, XrefEntry>, number: number, { entry, isFree }: Said): boolean {
  if (number === 0 && !isFree) return false;
  const known = entries.get(number);
  if (known) return sameEntry(known, entry);
  entries.set(number, entry);
  return number <= MAX_OBJECT_NUMBER;
}

/**
 * Refuses a subsection that begins at 1 with a free row: some readers take it for object 0.
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

function plainEntry(offset: number, generation: number): XrefEntry {
  return offset === 0 ? { kind: "free" } : { kind: "plain", offset, generation };
}

/** Source: ISO 32000-2 §7.5.8. */
function readStream(bytes: Uint8Array, from: number, budget: WorkBudget): XrefSection | null {
  const trailer = readDictionary(bytes, skipBlank(bytes, from), budget);
  const stream =
    trailer?.entries.get("Type")?.text === "/XRef" ? rawStream(bytes, trailer, budget) : null;
  const data = trailer && stream ? decodedStream(trailer, stream.data, budget) : null;
  const widths = trailer ? wholeNumbers(trailer, "W") : null;
  const size = trailer ? wholeNumber(trailer, "Size") : null;
  const index = trailer ? wholeNumbers(trailer, "Index") : null;
  if (
    !trailer ||
    !data ||
    !widths ||
    widths.length < 3 ||
    typeof size !== "number" ||
    index === null
  )
    return null;
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
    isPlain:
      widths.slice(0, 3).every((width) => width <= PARSER_FIELD_BYTES) && widths.length === 3,
  };
}

/** Source: ISO 32000-2 §7.5.8.3: a field of width 0 has its default; an unknown type is null. */
function readFields(
  data: Uint8Array,
  from: number,
  widths: readonly number[],
): (Said & { readonly end: number }) | null {
  const values: number[] = [];
  let at = from;
  for (const width of widths) {
    let value = 0;
    for (let index = 0; index < width; index += 1) value = value * 256 + (data[at + index] ?? 0);
    values.push(value);
    at += width;
  }
  if (at > data.length || at === from || values.some((value) => !Number.isSafeInteger(value)))
    return null;
  const [type = 0, second = 0, third = 0] = values;
  const kind = widths[0] === 0 ? 1 : type;
  if (kind === 1) return { entry: plainEntry(second, third), isFree: false, end: at };
  const entry: XrefEntry =
    kind === 2 ? { kind: "packed", stream: second, index: third } : { kind: "free" };
  return { entry, isFree: kind !== 2, end: at };
}

const TAIL_BYTES = 2_048;
const REFERENCE = /(\d{1,10})\s+(\d{1,5})\s+R/g;
const PARSER_TAIL_BYTES = 1_024;

/**
 * Reads all cross-reference sections, from the last `startxref` along `/Prev`.
 * Shape: null where a section is unreadable, or readers may disagree on an object.
 * Errors: `pdf_too_complex` beyond the budget of work.
 * Source: ISO 32000-2 §7.5.4, §7.5.5, §7.5.6, §7.5.8.
 */
export function readXref(
  bytes: Uint8Array,
  budget: WorkBudget = workBudget(bytes),
): CrossReference | null {
  const start = startXref(bytes);
  const entries = new Map<number, XrefEntry>();
  const [visited, hidden, outdated] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const named: PdfRef[] = [];
  let newest: XrefSection | null = null;
  let isPlain = start?.isPlain ?? false;
  let isHybrid = false;
  for (let at: number | null = start?.offset ?? null; at !== null; ) {
    const section: XrefSection | null =
      visited.has(at) || hidden.has(at) ? null : readSection(bytes, at, budget);
    const rows = section ? withHidden(bytes, section, { visited, hidden, outdated, budget }) : null;
    if (!section || !rows) return null;
    visited.add(at);
    newest ??= section;
    named.push(...referencesIn(section));
    isHybrid ||= section.trailer.entries.has("XRefStm");
    isPlain &&= section.isPlain && rows.isPlain;
    for (const [number, entry] of rows.entries)
      if (!entries.has(number)) entries.set(number, entry);
    const previous = wholeNumber(section.trailer, "Prev");
    if (previous === null) return null;
    // Some producers write 0 for "none".
    at = previous === undefined || previous === 0 ? null : previous;
  }
  if (
    outdated.size > 0 ||
    !start ||
    !newest ||
    !newest.trailer.entries.has("Root") ||
    !leadToObjects(bytes, entries)
  )
    return null;
  return {
    startXref: start.offset,
    style: newest.style,
    entries,
    trailer: newest.trailer,
    named,
    isHybrid,
    isPlain,
  };
}

function referencesIn({ trailer }: XrefSection): PdfRef[] {
  return [...trailer.entries.values()].flatMap(({ text }) =>
    Array.from(text.matchAll(REFERENCE), ([, number, generation]) =>
      PdfRef.of(Number(number), Number(generation)),
    ),
  );
}

/** `hidden`: streams of hybrid sections; `outdated`: those that contradict their newer table. */
type Way = {
  readonly visited: ReadonlySet<number>;
  readonly hidden: Set<number>;
  readonly outdated: Set<number>;
  readonly budget: WorkBudget;
};
type Rows = { readonly entries: ReadonlyMap<number, XrefEntry>; readonly isPlain: boolean };

/**
 * Adds the objects that a hybrid file hides from old readers; the table must agree.
 * Tolerance: PDFBox and DSS copy an earlier section's XRefStm; the newer table counts.
 * Source: ISO 32000-2 §7.5.8.4.
 */
function withHidden(
  bytes: Uint8Array,
  section: XrefSection,
  { visited, hidden: known, outdated, budget }: Way,
): Rows | null {
  const at = wholeNumber(section.trailer, "XRefStm");
  if (at === undefined || section.style === "stream") return section;
  const hidden = at === null || visited.has(at) ? null : readSection(bytes, at, budget);
  if (at === null || hidden?.style !== "stream") return null;
  known.add(at);
  outdated.delete(at);
  const entries = new Map(section.entries);
  for (const [number, entry] of hidden.entries) {
    const shown = entries.get(number);
    if (!shown || shown.kind === "free") entries.set(number, entry);
    else if (!sameEntry(shown, entry)) outdated.add(at);
  }
  return { entries, isPlain: hidden.isPlain && !outdated.has(at) };
}

/** Source: ISO 32000-2 §7.3.10, §7.5.7. */
function leadToObjects(bytes: Uint8Array, entries: ReadonlyMap<number, XrefEntry>): boolean {
  for (const [number, entry] of entries) {
    if (entry.kind === "plain") {
      const header = plainHeaderAt(bytes, entry.offset);
      if (header?.number !== number || header.generation !== entry.generation) return false;
    }
    if (entry.kind === "packed") {
      const stream = entries.get(entry.stream);
      if (stream?.kind !== "plain" || stream.generation !== 0) return false;
    }
  }
  return true;
}

/** Null without a `startxref` near the end. */
function startXref(
  bytes: Uint8Array,
): { readonly offset: number; readonly isPlain: boolean } | null {
  const from = Math.max(0, bytes.length - TAIL_BYTES);
  let at = bytes.length - "startxref".length;
  while (at >= from && !wordAt(bytes, at, "startxref")) at -= 1;
  const offset = at < from ? null : integerAt(bytes, skipBlank(bytes, at + "startxref".length));
  if (!offset || offset.value === 0 || offset.value >= bytes.length) return null;
  if (!wordAt(bytes, skipBlank(bytes, offset.end), "%%EOF")) return null;
  return { offset: offset.value, isPlain: bytes.length - at < PARSER_TAIL_BYTES };
}

const DECODER = new TextDecoder("latin1");
const HEADER =
  /(?<![^\0\t\n\f\r ])\d{1,10}[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj(?![^\0\t\n\f\r ()<>[\]{}/%])/g;
const NUMBER_OBJECT =
  /(?<![^\0\t\n\f\r ])(\d{1,10}[\0\t\n\f\r ]+\d{1,5})[\0\t\n\f\r ]+obj[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+endobj/g;

type Met = {
  readonly number: number;
  readonly generation: number;
  readonly offset: number;
  readonly dictionary: RawDictionary | null;
};

/**
 * Scans a file with a broken cross-reference; null without a catalog.
 * Errors: `pdf_too_complex` beyond the budget of work.
 * Source: ISO 32000-2 §7.5.6: later objects replace earlier ones.
 */
export function rebuildXref(
  bytes: Uint8Array,
  budget: WorkBudget = workBudget(bytes),
): Pick<CrossReference, "entries" | "trailer"> | null {
  const text = DECODER.decode(bytes);
  const entries = new Map<number, XrefEntry>();
  const trailers: { readonly at: number; readonly trailer: RawDictionary }[] = [];
  const catalogs: { readonly at: number; readonly number: number }[] = [];
  const objects = objectsOf(bytes, text, budget);
  const latest = new Map(objects.map((object) => [object.number, object]));
  for (const object of objects) {
    const { number, generation, offset, dictionary } = object;
    entries.set(number, { kind: "plain", offset, generation });
    const type = dictionary?.entries.get("Type")?.text;
    if (dictionary && type === "/XRef") trailers.push({ at: offset, trailer: dictionary });
    if (type === "/Catalog") catalogs.push({ at: offset, number });
    if (!dictionary || type !== "/ObjStm" || latest.get(number) !== object) continue;
    for (const [index, inner] of (packedObjects(bytes, dictionary, budget) ?? []).entries()) {
      entries.set(inner.number, { kind: "packed", stream: number, index });
      if (inner.isCatalog) catalogs.push({ at: offset, number: inner.number });
    }
  }
  for (const { index } of text.matchAll(/\btrailer\b/g)) {
    const trailer = readDictionary(bytes, index + "trailer".length, budget);
    if (trailer) trailers.push({ at: index, trailer });
  }
  const known = new Set(catalogs.map(({ number }) => number));
  const named = trailers
    .filter(({ trailer }) => known.has(rootOf(trailer) ?? -1))
    .toSorted((left, right) => right.at - left.at)[0];
  if (named) return { entries, trailer: named.trailer };
  const catalog = catalogs.at(-1)?.number;
  return catalog === undefined
    ? null
    : { entries, trailer: trailerOf(catalog, entries.get(catalog)) };
}

/** Skips stream data of a known and right length: it may look like objects. */
function objectsOf(bytes: Uint8Array, text: string, budget: WorkBudget): readonly Met[] {
  const met: Met[] = [];
  const numbers = new Map(
    [...text.matchAll(NUMBER_OBJECT)].map(([, name = "", value]) => [
      name.replace(/[\0\t\n\f\r ]+/, " "),
      Number(value),
    ]),
  );
  HEADER.lastIndex = 0;
  for (let match = HEADER.exec(text); match; match = HEADER.exec(text)) {
    const header = objectHeaderAt(bytes, match.index);
    if (!header || header.number > MAX_OBJECT_NUMBER) continue;
    const dictionary = readDictionary(bytes, header.end, budget);
    met.push({ ...header, offset: match.index, dictionary });
    const stream = dictionary
      ? streamOfLength(bytes, dictionary, lengthOf(dictionary, numbers))
      : null;
    if (stream) HEADER.lastIndex = stream.end;
  }
  return met;
}

/** A length may be an object of its own, often after the stream. */
function lengthOf(dictionary: RawDictionary, numbers: ReadonlyMap<string, number>): number | null {
  const reference = /^(\d+)\s+(\d+)\s+R$/.exec(dictionary.entries.get("Length")?.text ?? "");
  return (
    (reference
      ? numbers.get(`${reference[1]} ${reference[2]}`)
      : wholeNumber(dictionary, "Length")) ?? null
  );
}

/**
 * Null where the parser cannot read the index, or two objects overlap.
 * Source: ISO 32000-2 §7.5.7: numbers and offsets, increasing, then the objects.
 */
function packedObjects(
  bytes: Uint8Array,
  dictionary: RawDictionary,
  budget: WorkBudget,
): readonly { number: number; isCatalog: boolean }[] | null {
  const stream = rawStream(bytes, dictionary, budget);
  const data = stream ? decodedStream(dictionary, stream.data, budget) : null;
  const [count, first] = [wholeNumber(dictionary, "N"), wholeNumber(dictionary, "First")];
  if (!data || typeof count !== "number" || typeof first !== "number") return null;
  const pairs = packedPairs(data.subarray(0, first), count, budget);
  for (const { at } of pairs ?? []) spend(budget, valueEnd(data, first + at) - first - at);
  return (
    pairs &&
    pairs.map(({ number, at }) => ({
      number,
      isCatalog: isCatalog(readDictionary(data, first + at, budget)),
    }))
  );
}

function isCatalog(dictionary: RawDictionary | null): boolean {
  return dictionary?.entries.get("Type")?.text === "/Catalog";
}

function rootOf(trailer: RawDictionary): number | null {
  const match = /^(\d+)\s+\d+\s+R$/.exec(trailer.entries.get("Root")?.text ?? "");
  return match ? Number(match[1]) : null;
}

function trailerOf(catalog: number, entry: XrefEntry | undefined): RawDictionary {
  const text = `${catalog} ${entry?.kind === "plain" ? entry.generation : 0} R`;
  return { entries: new Map([["Root", { text, bytes: new TextEncoder().encode(text) }]]), end: 0 };
}

export type XrefEntry =
  | { readonly kind: "plain"; readonly offset: number; readonly generation: number }
  | { readonly kind: "packed"; readonly stream: number; readonly index: number }
  | { readonly kind: "free" };

/** All sections together, with the newest trailer. */
export type CrossReference = {
  readonly startXref: number;
  readonly style: "table" | "stream";
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly trailer: RawDictionary;
  readonly named: readonly PdfRef[];
  /** Some readers ignore an `XRefStm`. Source: ISO 32000-2 §7.5.8.4 (XRefStm). */
  readonly isHybrid: boolean;
  /** The parser reads the file itself the same way. */
  readonly isPlain: boolean;
};

export function sameEntry(left: XrefEntry, right: XrefEntry): boolean {
  if (left.kind === "plain" && right.kind === "plain")
    return left.offset === right.offset && left.generation === right.generation;
  if (left.kind === "packed" && right.kind === "packed")
    return left.stream === right.stream && left.index === right.index;
  return left.kind === right.kind;
}

const ENCODER = new TextEncoder();
const KEPT = ["Root", "Info", "ID", "Encrypt"];
/** Type, offset or object stream, generation or index. */
const WIDTHS = [1, 5, 4] as const;
/** The parser's limit of an array. */
const MAX_RUNS = 40_000;
const ROW = WIDTHS[0] + WIDTHS[1] + WIDTHS[2];

/**
 * The same bytes, then a cross-reference stream with every object, for the parser alone.
 * Errors: `pdf_too_complex` for object numbers scattered as no producer does.
 */
export function xrefView(
  bytes: Uint8Array,
  xref: Pick<CrossReference, "entries" | "trailer">,
): Uint8Array {
  const listed = [...xref.entries]
    .filter(([, entry]) => entry.kind !== "free")
    .toSorted(([left], [right]) => left - right);
  const rows = new Uint8Array(listed.length * ROW);
  for (const [index, [, entry]] of listed.entries()) writeRow(rows, index * ROW, entry);
  const number = Math.max(wholeNumber(xref.trailer, "Size") ?? 0, (listed.at(-1)?.[0] ?? 0) + 1);
  const kept = KEPT.flatMap((key) => {
    const value = xref.trailer.entries.get(key);
    return value ? [ENCODER.encode(`/${key} `), value.bytes, ENCODER.encode(" ")] : [];
  });
  const index = runsOf(listed.map(([object]) => object)).join(" ");
  const head = ENCODER.encode(
    `\n${number} 0 obj\n<</Type/XRef/Size ${number}/W[${WIDTHS.join(" ")}]/Index[${index}]/Length ${rows.length}`,
  );
  const end = ENCODER.encode(`\nendstream\nendobj\nstartxref\n${bytes.length + 1}\n%%EOF\n`);
  return concatBytes([bytes, head, ...kept, ENCODER.encode(">>\nstream\n"), rows, end]);
}

/** Source: ISO 32000-2 §7.5.8.2, table 17. */
function runsOf(numbers: readonly number[]): readonly string[] {
  const runs: { readonly first: number; length: number }[] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && last.first + last.length === number) last.length += 1;
    else runs.push({ first: number, length: 1 });
  }
  if (runs.length > MAX_RUNS)
    throw new PadesError("pdf_too_complex", `Expected at most ${MAX_RUNS} runs of object numbers`);
  return runs.map(({ first, length }) => `${first} ${length}`);
}

function writeRow(rows: Uint8Array, at: number, entry: XrefEntry): void {
  const [type, second, third] =
    entry.kind === "plain"
      ? [1, entry.offset, entry.generation]
      : entry.kind === "packed"
        ? [2, entry.stream, entry.index]
        : [0, 0, 0];
  rows[at] = type;
  for (let byte = 0; byte < WIDTHS[1]; byte += 1)
    rows[at + WIDTHS[1] - byte] = Math.floor(second / 256 ** byte) & 255;
  for (let byte = 0; byte < WIDTHS[2]; byte += 1)
    rows[at + WIDTHS[1] + WIDTHS[2] - byte] = Math.floor(third / 256 ** byte) & 255;
}
