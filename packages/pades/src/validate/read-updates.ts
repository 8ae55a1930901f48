import { PdfNumber, PdfRef } from "@libpdf/core";
import { latinText } from "../pdf/latin-text.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { looksLikeStructure } from "./lookalikes.ts";
import { afterSpace, readSyntax, type Syntax, wholeNumber } from "./pdf-syntax.ts";
import { isCatalog, readPackedNumbers } from "./read-packed-numbers.ts";
import { readStreamRows, readTableRows, type XrefRow } from "./read-xref-rows.ts";

type Dictionary = ReadonlyMap<string, Syntax>;

/**
 * An object as it stands in an update. `packs`: the objects that it holds when it is an object stream, in their order; `catalogs`: those,
 * or the object itself, that call themselves the file's catalog.
 */
type WrittenObject = {
  readonly number: number;
  readonly generation: number;
  readonly at: number;
  readonly role: "plain" | "xref" | "objects";
  readonly isStream: boolean;
  readonly packs: readonly number[];
  readonly catalogs: readonly number[];
};

/** One incremental update, read strictly. `end` is behind its last end of line, `mark` behind its `%%EOF`. */
export type Update = {
  readonly objects: readonly WrittenObject[];
  readonly rows: readonly XrefRow[];
  readonly trailer: Dictionary;
  readonly sectionAt: number;
  readonly mark: number;
  readonly end: number;
};

type Reading = { readonly open: OpenPdf; readonly text: string; readonly from: number };
type ReadObject = { readonly object: WrittenObject; readonly end: number; readonly dictionary: Dictionary; readonly data: Uint8Array };
type Section = {
  readonly rows: readonly XrefRow[];
  readonly trailer: Dictionary;
  readonly isTable: boolean;
  readonly at: number;
  readonly end: number;
};

/**
 * Without a zero before another digit, nor a sign: some readers look for such an object under another number, or not at all. Never
 * object 0, which is always free. Source: ISO 32000-2 §7.5.4.
 */
const OBJECT = /([1-9]\d{0,9})[\t\n\r ]+(0|[1-9]\d{0,4})[\t\n\r ]+obj(?=[\0\t\n\f\r ()<>[\]/%+\-.\d]|null|true|false)/y;
const REMARK = /%[^\r\n]*(?=[\r\n])/y;
const STREAM = /[\0\t\n\f\r ]*stream(?:\r\n|\n)/y;
const STREAM_END = /(?:\r\n|\n|\r)?endstream[\t\n\r ]+endobj(?=[\0\t\n\f\r %]|$)/y;
const OBJECT_END = /[\0\t\n\f\r ]*endobj(?=[\0\t\n\f\r %]|$)/y;
const TABLE = /xref[ ]?(?:\r\n|\n|\r)/y;
/** Tolerance: PDFBox leaves a line empty before it. */
const TRAILER = /[\t\n\r ]*trailer(?=[\t\n\r <])/y;
const FINISH = /startxref[\t\n\r ]+(\d{1,12})[\t\n\r ]+%%EOF/y;
/** What leads a reader on from a trailer. */
const LEADING = ["Root", "Info", "Prev", "Size", "ID"];
const OF_STREAM = ["Type", "W", "Index", "Length", "Filter", "DecodeParms"];
const LINE_END = /(?:\r\n|\n|\r)?/y;

/**
 * Reads what follows a revision as whole incremental updates and nothing else: objects, one cross-reference section, `startxref`, `%%EOF`.
 * Null as soon as one reader could see something there that another does not: a reader that rebuilds the table of a file it finds odd
 * shows objects that no section lists, and so on.
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

function find(pattern: RegExp, text: string, at: number): { found: RegExpExecArray; end: number } | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && { found, end: at + found[0].length };
}

/** Gives the place behind white space, and remarks that no reader in search of objects could take for one. */
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
  // Tolerance: iText notes itself there, in a remark.
  const finish = find(FINISH, text, afterRemarks(text, section.end));
  if (!finish || !leadsTo(section, text, Number(finish.found[1]) - from)) return null;
  const end = find(LINE_END, text, finish.end)?.end ?? finish.end;
  const { rows, trailer } = section;
  return { objects, rows, trailer, sectionAt: from + section.at, mark: from + finish.end, end: from + end };
}

/** Tolerance: node-signpdf names the end of line before its table. */
function leadsTo({ at, isTable }: Section, text: string, place: number): boolean {
  return place === at || (isTable && place >= 0 && place < at && /^[\t\n\r ]+$/.test(text.slice(place, at)));
}

function readTable(text: string, { at, rowsAt }: { at: number; rowsAt: number }): Section | null {
  const table = readTableRows(text, rowsAt);
  const word = table && find(TRAILER, text, table.end);
  const trailer = word && readSyntax(text, word.end);
  // A hybrid table shows other objects to readers that do not know cross-reference streams. Source: ISO 32000-2 §7.5.8.4.
  if (trailer?.value.kind !== "dictionary" || trailer.value.entries.has("XRefStm")) return null;
  return { rows: table?.rows ?? [], trailer: trailer.value.entries, isTable: true, at, end: trailer.end };
}

/** Tolerance: PDFBox writes some updates' cross-reference as a stream, then once more as a table, which is the one that counts. */
async function readSections(text: string, read: ReadObject, { at, next }: { at: number; next: number }): Promise<Section | null> {
  const stream = await streamSection(read, at);
  const word = stream && find(TABLE, text, next);
  if (!stream || !word) return stream;
  const table = readTable(text, { at: next, rowsAt: word.end });
  return table && saysTheSame(table, stream, read.object) ? table : null;
}

/** Says whether a table and the stream before it have the same rows, but for the stream's own, and the same trailer. */
function saysTheSame(table: Section, stream: Section, { number: own }: WrittenObject): boolean {
  const rowsOf = ({ rows }: Section): string =>
    JSON.stringify(
      rows
        .filter(({ number }) => number !== own)
        .map(({ number, kind, at, generation }) => (kind === "free" ? [number] : [number, kind, at, generation])),
    );
  if ([...stream.trailer.keys()].some((key) => !LEADING.includes(key) && !OF_STREAM.includes(key))) return false;
  const trailerOf = ({ trailer }: Section): string => JSON.stringify(LEADING.map((key) => trailer.get(key) ?? null));
  return rowsOf(table) === rowsOf(stream) && trailerOf(table) === trailerOf(stream);
}

async function streamSection({ dictionary, data, end }: ReadObject, at: number): Promise<Section | null> {
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
  const plain = { number, generation, at: from + at, role: "plain", isStream: false, packs: [], catalogs } as const;
  const end = find(OBJECT_END, text, read.end)?.end;
  if (looksLikeStructure(text.slice(head.end, read.end))) return null;
  if (end !== undefined) return { object: plain, end, dictionary: new Map(), data: new Uint8Array() };
  const stream = read.value.kind === "dictionary" ? readStream(reading, read.value.entries, read.end) : null;
  if (!stream) return null;
  const { dictionary, data, end: streamEnd } = stream;
  const object = { ...plain, isStream: true };
  const type = dictionary.get("Type");
  const name = type?.kind === "name" ? type.text : "";
  if (name === "XRef") return { object: { ...object, role: "xref" }, end: streamEnd, dictionary, data };
  if (name !== "ObjStm") return { object, end: streamEnd, dictionary, data };
  const held = await readPackedNumbers(dictionary, data);
  return held && { object: { ...object, role: "objects", ...held }, end: streamEnd, dictionary, data };
}

/** Reads the data behind a dictionary; null when a reader could see another end of it, or objects inside. */
function readStream({ text, open, from }: Reading, dictionary: Dictionary, at: number): Omit<ReadObject, "object"> | null {
  const begin = find(STREAM, text, at)?.end;
  const length = begin === undefined ? null : lengthOf(open, dictionary.get("Length"));
  if (begin === undefined || length === null) return null;
  const close = find(STREAM_END, text, begin + length);
  // The data of a stream in another file is not in this one. Source: ISO 32000-2 §7.3.8.2.
  if (!close || dictionary.has("F") || looksLikeStructure(text.slice(begin, begin + length))) return null;
  return { dictionary, data: open.bytes.subarray(from + begin, from + begin + length), end: close.end };
}

function lengthOf(open: OpenPdf, value: Syntax | undefined): number | null {
  if (value?.kind !== "reference") return wholeNumber(value);
  const length = follow(open, PdfRef.of(value.number, value.generation));
  return length instanceof PdfNumber && Number.isSafeInteger(length.value) && length.value >= 0 ? length.value : null;
}
