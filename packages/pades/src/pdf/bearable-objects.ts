import { PDF, PdfRef, PdfStream } from "@libpdf/core";
import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";
import {
  type WorkBudget,
  findWord,
  integerAt,
  objectHeaderAt,
  skipBlank,
  spend,
  valueEnd,
  wordAt,
  workBudget,
} from "./byte-reader.ts";
import { ExactNames } from "./exact-names.ts";
import { quietly, resolveQuietly } from "./obey-xref.ts";
import {
  type RawDictionary,
  dataStart,
  decodedStream,
  packedPairs,
  readDictionary,
  streamOfLength,
  wholeNumber,
} from "./raw-objects.ts";
import { writeObject } from "./write-object.ts";
import { type CrossReference, type XrefEntry, xrefView } from "./cross-reference.ts";

type Xref = Pick<CrossReference, "entries" | "trailer">;
type Entries = ReadonlyMap<number, XrefEntry>;
const END_OF_STREAM = "endstream";
type Reading = {
  readonly bytes: Uint8Array;
  readonly entries: Entries;
  readonly budget: WorkBudget;
  readonly names: ExactNames | undefined;
};

/**
 * Counts what a parser would read for each object, before it runs: a hundred thousand may be
 * endless, or begin inside each other's strings.
 * Shape: false for an unreadable object stream. Encrypted ones are left to `packedBearably`.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`.
 */
export function requireBearableObjects(
  bytes: Uint8Array,
  { entries, trailer }: Xref,
  {
    budget = workBudget(bytes),
    names,
  }: { readonly budget?: WorkBudget; readonly names?: ExactNames } = {},
): boolean {
  const reading: Reading = { bytes, entries, budget, names };
  const packing = new Set<number>();
  for (const entry of entries.values()) {
    if (entry.kind === "plain") countPlain(reading, entry.offset);
    if (entry.kind === "packed") packing.add(entry.stream);
  }
  if (trailer.entries.has("Encrypt")) return true;
  return [...packing].every((number) => {
    const entry = entries.get(number);
    return entry?.kind === "plain" && packedAt(reading, entry.offset, number);
  });
}

function countPlain(reading: Reading, offset: number): void {
  const { bytes, budget } = reading;
  const header = objectHeaderAt(bytes, offset);
  if (!header) return;
  const end = valueEnd(bytes, header.end);
  spend(budget, end - offset);
  const isStream = wordAt(bytes, skipBlank(bytes, end), "stream");
  const behind = isStream ? streamEnd(reading, { from: header.end, end }) : end;
  reading.names?.notePlain(offset, { bytes, from: header.end, end, behind });
}

function streamEnd(
  reading: Reading,
  { from, end }: { readonly from: number; readonly end: number },
): number {
  const { bytes, budget } = reading;
  const dictionary = readDictionary(bytes, from, budget);
  const told = dictionary && streamOfLength(bytes, dictionary, lengthOf(reading, dictionary));
  if (told) return told.end;
  // The parser then looks for the keyword.
  const keyword = findWord(bytes, END_OF_STREAM, end);
  spend(budget, keyword - end);
  return Math.min(keyword + END_OF_STREAM.length, bytes.length);
}

/** The parser reads it again for each stream. */
function lengthOf({ bytes, entries, budget }: Reading, dictionary: RawDictionary): number | null {
  const reference = /^(\d+)\s+\d+\s+R$/.exec(dictionary.entries.get("Length")?.text ?? "");
  if (!reference) return wholeNumber(dictionary, "Length") ?? null;
  const entry = entries.get(Number(reference[1]));
  const header = entry?.kind === "plain" ? objectHeaderAt(bytes, entry.offset) : null;
  const number = header ? integerAt(bytes, skipBlank(bytes, header.end)) : null;
  if (header && !number) spend(budget, valueEnd(bytes, header.end) - header.end);
  return number?.value ?? null;
}

function packedAt({ bytes, budget, names }: Reading, offset: number, number: number): boolean {
  const header = objectHeaderAt(bytes, offset);
  const dictionary = header ? readDictionary(bytes, header.end, budget) : null;
  const start = dictionary ? dataStart(bytes, dictionary) : null;
  return (
    dictionary !== null &&
    start !== null &&
    packedBearably(dictionary, bytes.subarray(start), { budget, stream: number, names })
  );
}

type Packing = {
  readonly budget: WorkBudget;
  readonly stream: number;
  readonly names: ExactNames | undefined;
};

/**
 * False for an unreadable one; bytes after the data are ignored.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`.
 */
function packedBearably(
  dictionary: RawDictionary,
  data: Uint8Array,
  { budget, stream, names }: Packing,
): boolean {
  const decoded = decodedStream(dictionary, data, budget);
  const [count, first] = [wholeNumber(dictionary, "N"), wholeNumber(dictionary, "First")];
  if (!decoded || typeof count !== "number" || typeof first !== "number") return false;
  const pairs = packedPairs(decoded.subarray(0, first), count, budget);
  for (const [index, { number, at }] of (pairs ?? []).entries()) {
    const end = valueEnd(decoded, first + at);
    spend(budget, end - first - at);
    names?.notePacked({ stream, index, number }, { bytes: decoded, from: first + at, end });
  }
  return pairs !== null;
}

const ENCODER = new TextEncoder();
const KEYS = ["Filter", "DecodeParms", "N", "First"];

/**
 * The parser decrypts the object streams from a catalog of ours that leads to no packed object;
 * false when one is unreadable.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`; `pdf_encrypted` for names that the parser
 * changes.
 */
export async function isDecryptedBearably(
  bytes: Uint8Array,
  { entries, trailer }: Xref,
  budget: WorkBudget,
): Promise<boolean> {
  const packing = new Set(
    [...entries.values()].flatMap((entry) => (entry.kind === "packed" ? [entry.stream] : [])),
  );
  if (packing.size === 0 || !trailer.entries.has("Encrypt")) return true;
  const { view, plain } = withoutPacking(bytes, { entries, trailer });
  requireBearableObjects(view, { entries: plain, trailer }, { budget });
  const pdf = await quietly(() => PDF.load(view)).catch(() => null);
  if (!pdf) return false;
  if (!pdf.isAuthenticated) return true;
  const resolve = resolveQuietly(pdf);
  const names = new ExactNames(budget);
  const isReadable = [...packing].every((number) => {
    const stream = resolve(PdfRef.of(number, 0));
    return (
      stream instanceof PdfStream &&
      packedBearably(dictionaryOf(stream), stream.data, { budget, stream: number, names })
    );
  });
  // The parser respells such names in the copy.
  if (!names.isEmpty)
    throw new PadesError("pdf_encrypted", "Expected names that outlast the encryption", {
      clause: "ISO 32000-2 §7.3.5",
    });
  return isReadable;
}

function withoutPacking(
  bytes: Uint8Array,
  { entries, trailer }: Xref,
): { readonly view: Uint8Array; readonly plain: Xref["entries"] } {
  const plain = new Map<number, XrefEntry>(
    [...entries].filter(([, entry]) => entry.kind === "plain"),
  );
  let number = 1;
  while (entries.has(number)) number += 1;
  plain.set(number, { kind: "plain", offset: bytes.length + 1, generation: 0 });
  const root = `${number} 0 R`;
  const kept = new Map(trailer.entries).set("Root", { text: root, bytes: ENCODER.encode(root) });
  const catalog = ENCODER.encode(`\n${number} 0 obj\n<</Type/Catalog>>\nendobj\n`);
  return {
    view: xrefView(concatBytes([bytes, catalog]), {
      entries: plain,
      trailer: { ...trailer, entries: kept },
    }),
    plain,
  };
}

function dictionaryOf(stream: PdfStream): RawDictionary {
  const written = KEYS.flatMap((key): [string, { text: string; bytes: Uint8Array }][] => {
    const value = stream.get(key);
    return value ? [[key, { text: writeObject(value), bytes: new Uint8Array() }]] : [];
  });
  return { entries: new Map(written), end: 0 };
}
