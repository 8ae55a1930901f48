import { PdfNumber, PdfRef } from "@libpdf/core";
import { latinText, stringEnd } from "../pdf/byte-reader.ts";
import { inflate } from "../pdf/deflate.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";

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
const MAX_DEPTH = 256;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function afterSpace(text: string, at: number): number {
  return at + (match(SPACE, text, at)?.[0].length ?? 0);
}

/**
 * Reads a value as every reader must; null for a comment, a duplicate key or a token that some
 * readers repair.
 * Source: ISO 32000-2 §7.3; §7.3.7 (a duplicate key is undefined).
 */
function readSyntax(text: string, from: number, depth = 0): Read<Syntax> {
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

export function wholeNumber(value: Syntax | undefined): number | null {
  return value?.kind === "number" && /^\d{1,15}$/.test(value.text) ? Number(value.text) : null;
}

function wholeNumbers(value: Syntax | undefined): readonly number[] | null {
  if (value?.kind !== "array") return null;
  const numbers = value.items.map(wholeNumber);
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** What a rebuilding reader takes for structure. Compressed or DER data has none but by chance. */
const STRUCTURE =
  /\d[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]*obj|trailer[\0\t\n\f\r ]*<<|startxref|xref[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+\d|%%EOF|endstream/;
/** Each match contains one; a plain search is faster than the expression. */
const STRUCTURE_WORDS = ["obj", "trailer", "xref", "%%EOF", "endstream"];

/**
 * Whether text (one character a byte) contains what a rebuilding reader would show; some readers
 * take comments for white space, so both readings are checked.
 * Source: ISO 32000-2 §7.3.8, §7.5; Mladenov et al., "1 Trillion Dollar Refund", §4.2.
 */
export function looksLikeStructure(text: string): boolean {
  return (
    STRUCTURE_WORDS.some((word) => text.includes(word)) &&
    (STRUCTURE.test(text) ||
      (text.includes("%") && STRUCTURE.test(text.replace(/%[^\n\r]*/g, " "))))
  );
}

/** `at`: an object's offset, or its object stream's number; `index`: its place in there. */
type XrefRow = {
  readonly number: number;
  readonly kind: "free" | "plain" | "packed";
  readonly at: number;
  readonly generation: number;
  readonly index: number;
};
type Dictionary = ReadonlyMap<string, Syntax>;

const LIMIT_BYTES = 16 << 20;
const MAX_WIDTH = 8;
const KINDS = ["free", "plain", "packed"] as const;

/**
 * Refuses a subsection that begins at 1 with a free row: some readers take it for object 0.
 * Source: ISO 32000-2 §7.5.4.
 */
function readTableRows(
  text: string,
  from: number,
): { rows: readonly XrefRow[]; end: number } | null {
  const rows: XrefRow[] = [];
  const head = /(\d{1,10}) (\d{1,10})[ ]?(?:\r\n|\n|\r)/y;
  const line = /(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)/y;
  let at = from;
  for (;;) {
    head.lastIndex = at;
    const subsection = head.exec(text);
    if (!subsection) return { rows, end: at };
    at += subsection[0].length;
    const [first, count] = [Number(subsection[1]), Number(subsection[2])];
    for (let index = 0; index < count; index += 1) {
      line.lastIndex = at;
      const row = line.exec(text);
      if (!row || (first === 1 && index === 0 && row[3] === "f")) return null;
      const kind = row[3] === "n" ? "plain" : "free";
      rows.push({
        number: first + index,
        kind,
        at: Number(row[1]),
        generation: Number(row[2]),
        index: 0,
      });
      at += row[0].length;
    }
  }
}

/** No byte may be left over. Source: ISO 32000-2 §7.5.8.2, §7.5.8.3. */
async function readStreamRows(
  entries: Dictionary,
  data: Uint8Array,
): Promise<readonly XrefRow[] | null> {
  const widths = wholeNumbers(entries.get("W")) ?? [];
  const size = wholeNumber(entries.get("Size"));
  const runs = entries.has("Index") ? wholeNumbers(entries.get("Index")) : [0, size ?? 0];
  const rowLength = widths.reduce((sum, width) => sum + width, 0);
  if (
    widths.length !== 3 ||
    widths.some((width) => width > MAX_WIDTH) ||
    rowLength === 0 ||
    !runs ||
    runs.length % 2 !== 0
  )
    return null;
  const bytes = await unpacked(entries, data, rowLength);
  const numbers = bytes ? numbersOf(runs, bytes.length / rowLength) : null;
  if (!bytes || !numbers) return null;
  const rows: XrefRow[] = [];
  for (const [index, number] of numbers.entries()) {
    const row = rowOf(bytes.subarray(index * rowLength, (index + 1) * rowLength), widths, number);
    if (!row) return null;
    rows.push(row);
  }
  return rows;
}

function numbersOf(runs: readonly number[], count: number): readonly number[] | null {
  const lengths = runs.filter((_value, index) => index % 2 === 1);
  if (lengths.reduce((sum, length) => sum + length, 0) !== count) return null;
  return lengths.flatMap((length, run) =>
    Array.from({ length }, (_value, index) => (runs[run * 2] ?? 0) + index),
  );
}

function rowOf(
  bytes: Uint8Array,
  [first = 0, second = 0, third = 0]: readonly number[],
  number: number,
): XrefRow | null {
  const kind = KINDS[first === 0 ? 1 : valueOf(bytes.subarray(0, first))];
  const [at, last] = [
    valueOf(bytes.subarray(first, first + second)),
    valueOf(bytes.subarray(first + second, first + second + third)),
  ];
  if (!kind || !Number.isSafeInteger(at)) return null;
  return kind === "packed"
    ? { number, kind, at, generation: 0, index: last }
    : { number, kind, at, generation: last, index: 0 };
}

function valueOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

async function plainData(entries: Dictionary, data: Uint8Array): Promise<Uint8Array | null> {
  const filter = entries.get("Filter");
  if (filter === undefined) return data;
  const only = filter.kind === "array" && filter.items.length === 1 ? filter.items[0] : filter;
  if (only?.kind !== "name" || only.text !== "FlateDecode") return null;
  return inflate(data, LIMIT_BYTES).catch(() => null);
}

async function unpacked(
  entries: Dictionary,
  data: Uint8Array,
  rowLength: number,
): Promise<Uint8Array | null> {
  const rows = await plainData(entries, data);
  const parameters = entries.get("DecodeParms");
  if (!rows || !parameters) return rows;
  const only =
    parameters.kind === "array" && parameters.items.length === 1 ? parameters.items[0] : parameters;
  if (only?.kind !== "dictionary" || !entries.has("Filter")) return null;
  if ((wholeNumber(only.entries.get("Predictor")) ?? 1) < 10) return rows;
  return wholeNumber(only.entries.get("Columns")) === rowLength
    ? withoutPredictor(rows, rowLength)
    : null;
}

function withoutPredictor(rows: Uint8Array, rowLength: number): Uint8Array | null {
  const count = Math.floor(rows.length / (rowLength + 1));
  const out = new Uint8Array(count * rowLength);
  for (let row = 0; row < count; row += 1) {
    const filter = rows[row * (rowLength + 1)] ?? 0;
    if (filter > 2) return null;
    for (let column = 0; column < rowLength; column += 1) {
      const at = row * rowLength + column;
      const left = filter === 1 && column > 0 ? (out[at - 1] ?? 0) : 0;
      const above = filter === 2 && row > 0 ? (out[at - rowLength] ?? 0) : 0;
      out[at] = ((rows[row * (rowLength + 1) + 1 + column] ?? 0) + left + above) & 255;
    }
  }
  return out;
}

type Packed = { readonly packs: readonly number[]; readonly catalogs: readonly number[] };

/** A rebuilding reader takes the last Catalog. Source: ISO 32000-2 §7.7.2. */
function isCatalog(value: Syntax): boolean {
  const type = value.kind === "dictionary" ? value.entries.get("Type") : undefined;
  return type?.kind === "name" && type.text === "Catalog";
}

/**
 * Null when readers could disagree: each object is one value that ends where the next begins, and
 * no stream extends another. Source: ISO 32000-2 §7.5.7.
 */
async function readPackedNumbers(
  entries: ReadonlyMap<string, Syntax>,
  packed: Uint8Array,
): Promise<Packed | null> {
  if (entries.has("Extends")) return null;
  const [count, first] = [wholeNumber(entries.get("N")), wholeNumber(entries.get("First"))];
  const data = entries.has("DecodeParms") ? null : await plainData(entries, packed);
  if (count === null || first === null || !data) return null;
  const text = latinText(data);
  const head = text.slice(0, first).trim();
  const tokens = head === "" ? [] : head.split(/\s+/);
  // « 3.0 » is a number for some readers only.
  if (tokens.length !== count * 2 || !tokens.every((token) => /^(?:0|[1-9]\d{0,9})$/.test(token)))
    return null;
  const pairs = tokens.map(Number);
  let at = first;
  const numbers: number[] = [];
  const catalogs: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    const start = first + (pairs[index + 1] ?? 0);
    const value = start >= at && afterSpace(text, at) >= start ? readSyntax(text, start) : null;
    if (!value) return null;
    at = value.end;
    numbers.push(pairs[index] ?? 0);
    if (isCatalog(value.value)) catalogs.push(pairs[index] ?? 0);
  }
  return afterSpace(text, at) === text.length ? { packs: numbers, catalogs } : null;
}

type WrittenObject = {
  readonly number: number;
  readonly generation: number;
  readonly at: number;
  readonly role: "plain" | "xref" | "objects";
  readonly isStream: boolean;
  readonly packs: readonly number[];
  readonly catalogs: readonly number[];
};

/** An incremental update. `end`: behind its last end of line, `mark`: behind its `%%EOF`. */
export type Update = {
  readonly objects: readonly WrittenObject[];
  readonly rows: readonly XrefRow[];
  readonly trailer: Dictionary;
  readonly sectionAt: number;
  readonly mark: number;
  readonly end: number;
};

type Reading = { readonly open: OpenPdf; readonly text: string; readonly from: number };
type ReadObject = {
  readonly object: WrittenObject;
  readonly end: number;
  readonly dictionary: Dictionary;
  readonly data: Uint8Array;
};
type Section = {
  readonly rows: readonly XrefRow[];
  readonly trailer: Dictionary;
  readonly isTable: boolean;
  readonly at: number;
  readonly end: number;
};

/**
 * Some readers would look for another number with a leading zero or sign; object 0 is always free.
 * Source: ISO 32000-2 §7.5.4.
 */
const OBJECT =
  /([1-9]\d{0,9})[\t\n\r ]+(0|[1-9]\d{0,4})[\t\n\r ]+obj(?=[\0\t\n\f\r ()<>[\]/%+\-.\d]|null|true|false)/y;
const REMARK = /%[^\r\n]*(?=[\r\n])/y;
const STREAM = /[\0\t\n\f\r ]*stream(?:\r\n|\n)/y;
const STREAM_END = /(?:\r\n|\n|\r)?endstream[\t\n\r ]+endobj(?=[\0\t\n\f\r %]|$)/y;
const OBJECT_END = /[\0\t\n\f\r ]*endobj(?=[\0\t\n\f\r %]|$)/y;
const TABLE = /xref[ ]?(?:\r\n|\n|\r)/y;
/** Tolerance: PDFBox writes an empty line before it. */
const TRAILER = /[\t\n\r ]*trailer(?=[\t\n\r <])/y;
const FINISH = /startxref[\t\n\r ]+(\d{1,12})[\t\n\r ]+%%EOF/y;
const LEADING = ["Root", "Info", "Prev", "Size", "ID"];
const OF_STREAM = ["Type", "W", "Index", "Length", "Filter", "DecodeParms"];
const LINE_END = /(?:\r\n|\n|\r)?/y;

/**
 * Reads what follows a revision as whole incremental updates; null as soon as two readers could see
 * different things.
 * Source: ISO 32000-2 §7.5.6; Mladenov et al., "1 Trillion Dollar Refund", §4.2.
 */
export async function readUpdates(open: OpenPdf, from: number): Promise<readonly Update[] | null> {
  const reading: Reading = { open, text: latinText(open.bytes.subarray(from)), from };
  const updates: Update[] = [];
  for (let at = afterRemarks(reading.text, 0); at < reading.text.length; ) {
    const update = await readUpdate(reading, at);
    if (!update) return null;
    updates.push(update);
    at = afterRemarks(reading.text, update.end - from);
  }
  return updates;
}

function find(
  pattern: RegExp,
  text: string,
  at: number,
): { found: RegExpExecArray; end: number } | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && { found, end: at + found[0].length };
}

/** White space and comments without anything like an object. */
function afterRemarks(text: string, from: number): number {
  for (let at = afterSpace(text, from); ; ) {
    const remark = find(REMARK, text, at);
    if (!remark || /%%EOF|obj|trailer|xref/.test(remark.found[0])) return at;
    at = afterSpace(text, remark.end);
  }
}

async function readUpdate(reading: Reading, start: number): Promise<Update | null> {
  const { text, from } = reading;
  const objects: WrittenObject[] = [];
  let section: Section | null = null;
  let at = start;
  while (!section) {
    const table = find(TABLE, text, at);
    if (table) section = readTable(text, { at, rowsAt: table.end });
    else {
      const read = await readObject(reading, at);
      if (!read) return null;
      objects.push(read.object);
      const next = afterRemarks(text, read.end);
      if (read.object.role === "xref") section = await readSections(text, read, { at, next });
      at = next;
      if (read.object.role !== "xref") continue;
    }
    if (!section) return null;
  }
  // Tolerance: iText notes itself there, in a comment.
  const finish = find(FINISH, text, afterRemarks(text, section.end));
  if (!finish || !leadsTo(section, text, Number(finish.found[1]) - from)) return null;
  const end = find(LINE_END, text, finish.end)?.end ?? finish.end;
  const { rows, trailer } = section;
  return {
    objects,
    rows,
    trailer,
    sectionAt: from + section.at,
    mark: from + finish.end,
    end: from + end,
  };
}

/** Tolerance: node-signpdf's offset points at the end of line before its table. */
function leadsTo({ at, isTable }: Section, text: string, place: number): boolean {
  return (
    place === at ||
    (isTable && place >= 0 && place < at && /^[\t\n\r ]+$/.test(text.slice(place, at)))
  );
}

function readTable(text: string, { at, rowsAt }: { at: number; rowsAt: number }): Section | null {
  const table = readTableRows(text, rowsAt);
  const word = table && find(TRAILER, text, table.end);
  const trailer = word && readSyntax(text, word.end);
  // A hybrid table shows other objects to older readers. Source: ISO 32000-2 §7.5.8.4.
  if (trailer?.value.kind !== "dictionary" || trailer.value.entries.has("XRefStm")) return null;
  return {
    rows: table?.rows ?? [],
    trailer: trailer.value.entries,
    isTable: true,
    at,
    end: trailer.end,
  };
}

/**
 * Tolerance: PDFBox writes some cross-references as a stream, then again as the table that counts.
 */
async function readSections(
  text: string,
  read: ReadObject,
  { at, next }: { at: number; next: number },
): Promise<Section | null> {
  const stream = await streamSection(read, at);
  const word = stream && find(TABLE, text, next);
  if (!stream || !word) return stream;
  const table = readTable(text, { at: next, rowsAt: word.end });
  return table && saysTheSame(table, stream, read.object) ? table : null;
}

function saysTheSame(table: Section, stream: Section, { number: own }: WrittenObject): boolean {
  const rowsOf = ({ rows }: Section): string =>
    JSON.stringify(
      rows
        .filter(({ number }) => number !== own)
        .map(({ number, kind, at, generation }) =>
          kind === "free" ? [number] : [number, kind, at, generation],
        ),
    );
  if ([...stream.trailer.keys()].some((key) => !LEADING.includes(key) && !OF_STREAM.includes(key)))
    return false;
  const trailerOf = ({ trailer }: Section): string =>
    JSON.stringify(LEADING.map((key) => trailer.get(key) ?? null));
  return rowsOf(table) === rowsOf(stream) && trailerOf(table) === trailerOf(stream);
}

async function streamSection(
  { dictionary, data, end }: ReadObject,
  at: number,
): Promise<Section | null> {
  const rows = await readStreamRows(dictionary, data);
  return rows && { rows, trailer: dictionary, isTable: false, at, end };
}

async function readObject(reading: Reading, at: number): Promise<ReadObject | null> {
  const { text, from } = reading;
  const head = find(OBJECT, text, at);
  const read = head && readSyntax(text, head.end);
  if (!head || !read) return null;
  const [number, generation] = [Number(head.found[1]), Number(head.found[2])];
  const catalogs = isCatalog(read.value) ? [number] : [];
  const plain = {
    number,
    generation,
    at: from + at,
    role: "plain",
    isStream: false,
    packs: [],
    catalogs,
  } as const;
  const end = find(OBJECT_END, text, read.end)?.end;
  if (looksLikeStructure(text.slice(head.end, read.end))) return null;
  if (end !== undefined)
    return { object: plain, end, dictionary: new Map(), data: new Uint8Array() };
  const stream =
    read.value.kind === "dictionary" ? readStream(reading, read.value.entries, read.end) : null;
  if (!stream) return null;
  const { dictionary, data, end: streamEnd } = stream;
  const object = { ...plain, isStream: true };
  const type = dictionary.get("Type");
  const name = type?.kind === "name" ? type.text : "";
  if (name === "XRef")
    return { object: { ...object, role: "xref" }, end: streamEnd, dictionary, data };
  if (name !== "ObjStm") return { object, end: streamEnd, dictionary, data };
  const held = await readPackedNumbers(dictionary, data);
  return (
    held && { object: { ...object, role: "objects", ...held }, end: streamEnd, dictionary, data }
  );
}

/** Null when readers could see another end, or objects inside. */
function readStream(
  { text, open, from }: Reading,
  dictionary: Dictionary,
  at: number,
): Omit<ReadObject, "object"> | null {
  const begin = find(STREAM, text, at)?.end;
  const length = begin === undefined ? null : lengthOf(open, dictionary.get("Length"));
  if (begin === undefined || length === null) return null;
  const close = find(STREAM_END, text, begin + length);
  // Source: ISO 32000-2 §7.3.8.2: external data.
  if (!close || dictionary.has("F") || looksLikeStructure(text.slice(begin, begin + length)))
    return null;
  return {
    dictionary,
    data: open.bytes.subarray(from + begin, from + begin + length),
    end: close.end,
  };
}

function lengthOf(open: OpenPdf, value: Syntax | undefined): number | null {
  if (value?.kind !== "reference") return wholeNumber(value);
  const length = follow(open, PdfRef.of(value.number, value.generation));
  return length instanceof PdfNumber && Number.isSafeInteger(length.value) && length.value >= 0
    ? length.value
    : null;
}
