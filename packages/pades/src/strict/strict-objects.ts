import { PdfNumber, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { latinText, plainHeaderAt, skipBlank } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { packedPairs } from "../pdf/raw-stream.ts";
import { workBudget } from "../pdf/work-budget.ts";
import type { XrefEntry } from "../pdf/xref-types.ts";
import { afterBlank, keywordEnd, sameValueEnd, type StrictReading } from "./same-value.ts";

type PlainEntry = Extract<XrefEntry, { kind: "plain" }>;
/** An object: the parser's value, and where it is written. */
type Written = { readonly object: PdfObject | null; readonly from: number };

/** Where an object was read strictly, in the buffer that a file and its revisions share. */
type Known = { readonly buffer: ArrayBufferLike; readonly start: number; readonly end: number };
const HEADER = /(?<!\d)(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj/g;
/** Objects whose references all have generation 0: valid in any revision of that generation. */
const KNOWN = new WeakMap<PdfObject, Known>();

/**
 * Whether every object of a revision, read strictly, has the parser's value: no two readers show
 * different ones.
 * Shape: `open` is sound. Objects shared with a file read before are not read again.
 * Errors: PadesError `pdf_too_complex`.
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
    !holdUnlisted(open.bytes, missing)
  );
}

/** For an object that no table lists, poppler scans the file. */
function holdUnlisted(bytes: Uint8Array, missing: ReadonlySet<number>): boolean {
  return (
    missing.size > 0 &&
    latinText(bytes)
      .matchAll(HEADER)
      .some(([, number]) => missing.has(Number(number)))
  );
}

/**
 * A reference of another generation is null to some readers, the object to others.
 * Source: ISO 32000-2 §7.3.10.
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

/**
 * Some readers follow an object that is itself a reference, others take it for null.
 * Source: ISO 32000-2 §7.3.10.
 */
function valueEnd(reading: StrictReading, { object, from }: Written): number {
  if (object instanceof PdfRef) return -1;
  return object === null
    ? keywordEnd(reading.bytes, afterBlank(reading.bytes, from), "null")
    : sameValueEnd(reading, from, object);
}

/** Source: ISO 32000-2 §7.3.8.1: keyword, one end of line, Length bytes, keyword. */
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

/** Each object of a stream is one value that ends before the next. Source: ISO 32000-2 §7.5.7. */
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
