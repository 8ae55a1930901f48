import { PdfDict, PdfNumber, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import {
  type WorkBudget,
  latinText,
  objectHeaderAt,
  plainHeaderAt,
  skipBlank,
  workBudget,
} from "../pdf/byte-reader.ts";
import { type XrefEntry, sameEntry, type XrefSection, readSection } from "../pdf/read-xref.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { type OpenPdf, arrayAt, follow, nameAt } from "../pdf/open-pdf.ts";
import {
  type RawDictionary,
  packedPairs,
  readDictionary,
  wholeNumber,
} from "../pdf/raw-objects.ts";
import { type StrictReading, afterBlank, keywordEnd, sameValueEnd } from "./same-value.ts";

/** `miscounted`: wrong counts alone; `unsure`: readers may show different pages. */
type PageTreeReading = "strict" | "miscounted" | "unsure";

type Reading = { readonly open: OpenPdf; readonly met: Set<PdfDict>; isMiscounted: boolean };
const MAX_DEPTH = 256;

/**
 * Whether every reader finds the same pages in order.
 * Source: ISO 32000-2 §7.7.3.2, table 30 (Kids, Count), §7.7.3.3, table 31 (Type is required).
 */
function readPageTree(open: OpenPdf): PageTreeReading {
  const root = open.catalog.get("Pages");
  const reading: Reading = { open, met: new Set(), isMiscounted: false };
  if (!(root instanceof PdfRef) || leavesBelow(reading, root, 0) <= 0) return "unsure";
  return reading.isMiscounted ? "miscounted" : "strict";
}

function leavesBelow(reading: Reading, ref: PdfRef, depth: number): number {
  const { open, met } = reading;
  const node = open.pdf.context.resolve(ref);
  if (!(node instanceof PdfDict) || node instanceof PdfStream || met.has(node) || depth > MAX_DEPTH)
    return -1;
  met.add(node);
  const type = nameAt(open, node, "Type");
  if (type === "Page") return depth > 0 && !node.has("Kids") ? 1 : -1;
  const kids = type === "Pages" ? arrayAt(open, node, "Kids") : undefined;
  if (!kids) return -1;
  let leaves = 0;
  for (const kid of kids) {
    const below = kid instanceof PdfRef ? leavesBelow(reading, kid, depth + 1) : -1;
    if (below < 0) return -1;
    leaves += below;
  }
  const count = follow(open, node.get("Count"));
  if (!(count instanceof PdfNumber) || count.value !== leaves) reading.isMiscounted = true;
  return leaves;
}

/** Readers look for it behind the leading comments, or on the version's line. */
const VERSION_END = "%PDF-1.7".length;

/**
 * True unless a linearized file's first object names another first page or count, which some
 * readers show before they read the tree.
 * Source: ISO 32000-2 annex F.3.3, table F.1 (O, P, N, L).
 */
function isFirstPageAsSaid(open: OpenPdf): boolean {
  return [afterBlank(open.bytes, 0), skipBlank(open.bytes, VERSION_END)].every((at) =>
    opensAsSaid(open, at),
  );
}

function opensAsSaid(open: OpenPdf, at: number): boolean {
  const header = objectHeaderAt(open.bytes, at);
  const dictionary = header ? readDictionary(open.bytes, header.end) : null;
  if (!dictionary?.entries.has("Linearized")) return true;
  const pages = open.pdf.context.pages.getPages();
  const [first, index] = [wholeNumber(dictionary, "O"), wholeNumber(dictionary, "P") ?? 0];
  if (pages[index]?.objectNumber !== first || pages[index]?.generation !== 0) return false;
  return (
    wholeNumber(dictionary, "L") !== open.bytes.length ||
    wholeNumber(dictionary, "N") === pages.length
  );
}

type File = Pick<OpenPdf, "bytes" | "startXref" | "entries">;
const NOWHERE: XrefEntry = { kind: "free" };

/**
 * Whether tables and streams of hybrid sections lead every reader to the same objects.
 * Source: ISO 32000-2 §7.5.8.4 (XRefStm): readers of streams look into the table first.
 */
function agreesWithHidden(file: File): boolean {
  const budget = workBudget(file.bytes);
  const visited = new Set<number>();
  let isOneWay = true;
  for (let at: number | null = file.startXref; at !== null && !visited.has(at); ) {
    visited.add(at);
    const section: XrefSection | null = readSection(file.bytes, at, budget);
    const hiddenAt = section ? placeOf(section.trailer, "XRefStm") : null;
    const hidden = hiddenAt === null ? null : readSection(file.bytes, hiddenAt, budget);
    at = section ? placeOf(section.trailer, "Prev") : null;
    if (section && hidden && !showsTheSame(section, hidden)) return false;
    isOneWay &&= !hidden || [null, at].includes(placeOf(hidden.trailer, "Prev"));
  }
  return isOneWay || (["deep", "broad"] as const).every((way) => findsTheSame(file, way, budget));
}

function placeOf(trailer: RawDictionary, key: string): number | null {
  const place = wholeNumber(trailer, key);
  return typeof place === "number" && place > 0 ? place : null;
}

function showsTheSame(table: XrefSection, hidden: XrefSection): boolean {
  return [...hidden.entries].every(
    ([number, { kind }]) => kind === "free" || table.entries.get(number)?.kind !== "free",
  );
}

/**
 * Follows `/Prev` from streams too, which the standard does not foresee: depth first (`deep`), or
 * alternately, as pdf.js does (`broad`).
 */
function findsTheSame(
  { bytes, startXref, entries }: File,
  way: "deep" | "broad",
  budget: WorkBudget,
): boolean {
  const found = new Map<number, XrefEntry>();
  const visited = new Set<number>();
  const ahead = [startXref];
  const inTurn = ahead.values();
  const next = (): number | undefined => (way === "deep" ? ahead.pop() : inTurn.next().value);
  for (let at = next(); at !== undefined; at = next()) {
    const section = visited.has(at) ? null : readSection(bytes, at, budget);
    visited.add(at);
    for (const [number, entry] of section?.entries ?? [])
      if (!found.has(number)) found.set(number, entry);
    const keys = section?.style === "table" ? ["XRefStm", "Prev"] : ["Prev"];
    const places = keys
      .map((key) => section && placeOf(section.trailer, key))
      .filter((place) => place !== null);
    ahead.push(...(way === "deep" ? places.toReversed() : places));
  }
  const numbers = new Set([...entries.keys(), ...found.keys()]);
  return [...numbers].every((number) =>
    sameEntry(found.get(number) ?? NOWHERE, entries.get(number) ?? NOWHERE),
  );
}

/**
 * Whether every reader reads a revision with a sound cross-reference the same way.
 * Errors: `pdf_too_complex`.
 * Source: security §2; ISO 32000-2 §7.3, §7.5, §7.7.3.
 */
export function isStrictRevision(open: OpenPdf): boolean {
  return (
    (!open.isHybrid || agreesWithHidden(open)) &&
    areStrictObjects(open) &&
    readPageTree(open) === "strict" &&
    isFirstPageAsSaid(open)
  );
}

/**
 * Refuses a file whose pages or references readers may follow differently.
 * Errors: `pdf_damaged`.
 * Source: ISO 32000-2 §7.3.10, §7.7.3.2.
 */
export function refuseUnsure(open: OpenPdf): void {
  if (readPageTree(open) === "unsure")
    throw new PadesError("pdf_damaged", "Expected the same pages for every reader", {
      clause: "ISO 32000-2 §7.7.3.2",
    });
  for (const [number, entry] of open.entries) {
    const ref = PdfRef.of(number, entry.kind === "plain" ? entry.generation : 0);
    if (entry.kind !== "free" && open.pdf.context.resolve(ref) instanceof PdfRef)
      throw new PadesError("pdf_damaged", "Expected objects that are values", {
        clause: "ISO 32000-2 §7.3.10",
      });
  }
}

type PlainEntry = Extract<XrefEntry, { kind: "plain" }>;
type Written = { readonly object: PdfObject | null; readonly from: number };

type Known = { readonly buffer: ArrayBufferLike; readonly start: number; readonly end: number };
const HEADER = /(?<!\d)(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj/g;
/** Objects whose references all have generation 0 are valid in any revision of it. */
const KNOWN = new WeakMap<PdfObject, Known>();

/**
 * Whether every object of a sound revision, read strictly, has the parser's value.
 * Errors: `pdf_too_complex`.
 * Source: ISO 32000-2 §7.2, §7.3, §7.5.7; ANSSI's Caradoc: the strict syntax.
 */
export function areStrictObjects(open: OpenPdf): boolean {
  const missing = new Set<number>();
  const meet = (ref: PdfRef): boolean => {
    if ((open.entries.get(ref.objectNumber)?.kind ?? "free") === "free")
      missing.add(ref.objectNumber);
    return isOwnGeneration(open, ref);
  };
  const isPlain = [...open.entries.values()].every(
    (entry) => entry.kind !== "plain" || entry.generation === 0,
  );
  const packs = new Set<number>();
  for (const [number, entry] of open.entries) {
    if (entry.kind === "plain" && !isStrictObject(open, { number, entry, meet, isPlain }))
      return false;
    if (entry.kind === "packed") packs.add(entry.stream);
  }
  return (
    [...packs].every((number) => isStrictPack(open, number, meet)) &&
    !haveUnlisted(open.bytes, missing)
  );
}

/** For an object that no table lists, poppler scans the file. */
function haveUnlisted(bytes: Uint8Array, missing: ReadonlySet<number>): boolean {
  return (
    missing.size > 0 &&
    latinText(bytes)
      .matchAll(HEADER)
      .some(([, number]) => missing.has(Number(number)))
  );
}

/**
 * Another generation is null to some readers, the object to others. Source: ISO 32000-2 §7.3.10.
 */
function isOwnGeneration({ entries }: OpenPdf, { objectNumber, generation }: PdfRef): boolean {
  const entry = entries.get(objectNumber);
  if (entry === undefined || entry.kind === "free") return true;
  return generation === (entry.kind === "plain" ? entry.generation : 0);
}

/** `isPlain`: every object of the revision has generation 0. */
type Place = {
  readonly number: number;
  readonly entry: PlainEntry;
  readonly meet: StrictReading["meet"];
  readonly isPlain: boolean;
};

function isStrictObject(open: OpenPdf, { number, entry, meet, isPlain }: Place): boolean {
  const { bytes } = open;
  const object = open.pdf.context.resolve(PdfRef.of(number, entry.generation));
  const known = object && isPlain ? KNOWN.get(object) : undefined;
  const start = bytes.byteOffset + entry.offset;
  if (
    known?.buffer === bytes.buffer &&
    known.start === start &&
    known.end <= bytes.byteOffset + bytes.length
  )
    return true;
  let isOfZero = true;
  const noting = (ref: PdfRef): boolean => {
    isOfZero &&= ref.generation === 0;
    return meet(ref);
  };
  const header = plainHeaderAt(bytes, entry.offset);
  const value = header ? valueEnd({ bytes, meet: noting }, { object, from: header.end }) : -1;
  const close = value >= 0 && object instanceof PdfStream ? streamEnd(open, object, value) : value;
  const end = close < 0 ? -1 : keywordEnd(bytes, afterBlank(bytes, close), "endobj");
  if (end >= 0 && object && isOfZero)
    KNOWN.set(object, { buffer: bytes.buffer, start, end: bytes.byteOffset + end });
  return end >= 0;
}

/** Readers differ on an object that is itself a reference. Source: ISO 32000-2 §7.3.10. */
function valueEnd(reading: StrictReading, { object, from }: Written): number {
  if (object instanceof PdfRef) return -1;
  return object === null
    ? keywordEnd(reading.bytes, afterBlank(reading.bytes, from), "null")
    : sameValueEnd(reading, from, object);
}

/** Source: ISO 32000-2 §7.3.8.1. */
function streamEnd(open: OpenPdf, stream: PdfStream, from: number): number {
  const { bytes } = open;
  const keyword = keywordEnd(bytes, afterBlank(bytes, from), "stream");
  const length = follow(open, stream.get("Length"));
  const start = keyword < 0 ? -1 : afterLineEnd(bytes, keyword);
  if (start < 0 || !(length instanceof PdfNumber) || length.value !== stream.data.length) return -1;
  return keywordEnd(bytes, skipBlank(bytes, start + length.value), "endstream");
}

function afterLineEnd(bytes: Uint8Array, at: number): number {
  const feed = bytes[at] === 0x0d ? at + 1 : at;
  return bytes[feed] === 0x0a ? feed + 1 : -1;
}

/** Source: ISO 32000-2 §7.5.7. */
function isStrictPack(open: OpenPdf, stream: number, meet: StrictReading["meet"]): boolean {
  const pack = open.pdf.context.resolve(PdfRef.of(stream, 0));
  if (!(pack instanceof PdfStream) || pack.getName("Type")?.value !== "ObjStm") return false;
  const bytes = decodedData(pack, decodingBudget(open));
  const first = pack.getNumber("First")?.value ?? 0;
  const pairs =
    packedPairs(
      bytes.subarray(0, first),
      pack.getNumber("N")?.value ?? 0,
      workBudget(open.bytes),
    ) ?? [];
  return pairs.every(({ number, at }, index) => {
    const entry = open.entries.get(number);
    if (entry?.kind !== "packed" || entry.stream !== stream || entry.index !== index) return true;
    const end = valueEnd(
      { bytes, meet },
      { object: open.pdf.context.resolve(PdfRef.of(number, 0)), from: first + at },
    );
    const next = pairs[index + 1];
    return end >= 0 && afterBlank(bytes, end) >= (next ? first + next.at : bytes.length);
  });
}
