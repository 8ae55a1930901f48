import {
  PDF,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
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
  isBlank,
  latinText,
  lineEnd,
  tokenEnd,
} from "./byte-reader.ts";
import {
  type CrossReference,
  type XrefEntry,
  xrefView,
  readXref,
  rebuildXref,
} from "./read-xref.ts";
import { obeysXref, quietly, resolveQuietly } from "./obey-xref.ts";
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

/** A parsed file and what its incremental update needs. */
export type OpenPdf = {
  readonly bytes: Uint8Array;
  readonly pdf: PDF;
  readonly trailer: PdfDict;
  readonly catalog: PdfDict;
  readonly catalogRef: PdfRef;
  /** Empty where the cross-reference cannot be trusted. */
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly startXref: number;
  readonly xrefStyle: "table" | "stream";
  /** Bytes read or made to read it. */
  readonly work: number;
  readonly nextObjectNumber: number;
  readonly namedByTrailers: readonly PdfRef[];
  readonly isHybrid: boolean;
  /** Why the file cannot take an incremental update, or null. */
  readonly blocker: "encrypted" | "broken_xref" | null;
};

const LATIN = new TextDecoder("latin1");

/**
 * Parses a PDF.
 * Errors: `not_a_pdf`, `pdf_encrypted` (a user password),
 * `pdf_encrypted_for_recipients`, `pdf_damaged`, `pdf_too_complex`.
 * Source: ISO 32000-2 §7.5.
 */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const header = LATIN.decode(bytes.subarray(0, 1024)).indexOf("%PDF-");
  if (header < 0)
    throw new PadesError("not_a_pdf", "Expected %PDF- within the first 1024 bytes", {
      clause: "ISO 32000-2 §7.5.2",
    });
  const xref = header === 0 ? readXref(bytes) : null;
  const budget = workBudget(bytes);
  const { left } = budget;
  const { pdf, isSound } =
    (xref ? await loadSound(xref, bytes, budget) : null) ?? (await loadBroken(bytes, header));
  if (pdf.isEncrypted && !pdf.isAuthenticated) refuseEncrypted(LATIN.decode(bytes));
  const { trailer } = pdf.context.info;
  const catalogRef = trailer.getRef("Root");
  const catalog = catalogRef ? pdf.context.resolve(catalogRef) : null;
  if (!catalogRef || !(catalog instanceof PdfDict))
    throw new PadesError("pdf_damaged", "Expected a catalog", { clause: "ISO 32000-2 §7.5.5" });
  return {
    bytes,
    pdf,
    trailer,
    catalog,
    catalogRef,
    entries: isSound && xref ? xref.entries : new Map(),
    startXref: xref?.startXref ?? 0,
    work: isSound ? left - budget.left : 0,
    xrefStyle: xref?.style ?? "table",
    nextObjectNumber: Math.max(
      pdf.context.registry.nextObjectNumber,
      trailer.getNumber("Size")?.value ?? 0,
    ),
    namedByTrailers: xref?.named ?? [],
    isHybrid: xref?.isHybrid ?? false,
    blocker: pdf.isEncrypted ? "encrypted" : isSound ? null : "broken_xref",
  };
}

type Loaded = { readonly pdf: PDF; readonly isSound: boolean };

async function loadSound(
  xref: CrossReference,
  bytes: Uint8Array,
  budget: WorkBudget,
): Promise<Loaded | null> {
  const pdf = await parseBy(
    xref,
    { bytes, view: xref.isPlain ? bytes : xrefView(bytes, xref) },
    budget,
  );
  return pdf && !pdf.recoveredViaBruteForce ? { pdf, isSound: true } : null;
}

/** Errors: `pdf_too_complex`, `pdf_damaged`. */
async function parseBy(
  xref: CrossReference,
  file: { readonly bytes: Uint8Array; readonly view: Uint8Array },
  budget = workBudget(file.bytes),
): Promise<PDF | null> {
  // An endless value runs past the file's end.
  const names = new ExactNames(budget);
  if (
    !requireBearableObjects(file.view, xref, { budget, names }) ||
    !(await isDecryptedBearably(file.bytes, xref, budget))
  )
    return null;
  const pdf = await parse(viewWith(names, file.view, { bytes: file.bytes, xref }));
  return pdf && obeysXref(pdf, { bytes: file.bytes, entries: xref.entries }, budget) ? pdf : null;
}

/** Offsets count from the header if that fits, else the latest object of each number counts. */
async function loadBroken(bytes: Uint8Array, header: number): Promise<Loaded> {
  const inner = bytes.subarray(header);
  for (const part of header > 0 ? [inner, bytes] : []) {
    const xref = readXref(part);
    const pdf = xref ? await parseBy(xref, { bytes: part, view: xrefView(part, xref) }) : null;
    if (pdf) return { pdf, isSound: false };
  }
  const text = LATIN.decode(bytes);
  // A guessed trailer may lack /Encrypt: encrypted data would be read as plain.
  if (/\/Encrypt(?:\s+\d+\s+\d+\s+R|\s*<<)/.test(text)) refuseEncrypted(text);
  const rebuilt = rebuildXref(bytes);
  const view = rebuilt ? xrefView(bytes, rebuilt) : bytes;
  const names = new ExactNames(workBudget(bytes));
  const isBearable = rebuilt !== null && requireBearableObjects(view, rebuilt, { names });
  const pdf = isBearable ? await parse(viewWith(names, view, { bytes, xref: rebuilt })) : null;
  if (!pdf) throw new PadesError("pdf_damaged", "Expected a readable file structure");
  resolveQuietly(pdf);
  return { pdf, isSound: false };
}

function viewWith(
  names: ExactNames,
  view: Uint8Array,
  file: { readonly bytes: Uint8Array; readonly xref: Pick<CrossReference, "entries" | "trailer"> },
): Uint8Array {
  if (names.isEmpty) return view;
  const { bytes, xref } = names.behind(file.bytes, file.xref);
  return xrefView(bytes, xref);
}

async function parse(bytes: Uint8Array): Promise<PDF | null> {
  try {
    return await quietly(() => PDF.load(bytes));
  } catch {
    return null;
  }
}

/** The public-key handler has no password. Source: ISO 32000-2 §7.6.5. */
function refuseEncrypted(text: string): never {
  if (text.includes("/Adobe.PubSec"))
    throw new PadesError(
      "pdf_encrypted_for_recipients",
      "Expected a file that is not encrypted for certificates",
      {
        clause: "ISO 32000-2 §7.6.5",
      },
    );
  throw new PadesError("pdf_encrypted", "Expected a file that opens without a password", {
    clause: "ISO 32000-2 §7.6.4",
  });
}

/**
 * Requires a file that can take an incremental update.
 * Errors: `pdf_encrypted`, `pdf_damaged`.
 */
export function requireIncremental(open: OpenPdf): void {
  if (open.blocker === "encrypted")
    throw new PadesError("pdf_encrypted", "Expected a file without encryption");
  if (open.blocker)
    throw new PadesError("pdf_damaged", "Expected a sound cross-reference", {
      clause: "ISO 32000-2 §7.5.4",
    });
}

/** Follows references; undefined for a missing object or null. */
export function follow(open: OpenPdf, value: PdfObject | undefined | null): PdfObject | undefined {
  let current = value;
  for (let hops = 0; current instanceof PdfRef && hops < 32; hops += 1)
    current = open.pdf.context.resolve(current);
  return current === null ||
    current === undefined ||
    current instanceof PdfRef ||
    current.type === "null"
    ? undefined
    : current;
}

export function dictAt(open: OpenPdf, dict: PdfDict, key: string): PdfDict | undefined {
  const value = follow(open, dict.get(key));
  return value instanceof PdfDict ? value : undefined;
}

export function arrayAt(open: OpenPdf, dict: PdfDict, key: string): PdfArray | undefined {
  const value = follow(open, dict.get(key));
  return value instanceof PdfArray ? value : undefined;
}

export function numberAt(open: OpenPdf, dict: PdfDict, key: string): number | undefined {
  const value = follow(open, dict.get(key));
  return value instanceof PdfNumber ? value.value : undefined;
}

export function nameAt(open: OpenPdf, dict: PdfDict, key: string): string | undefined {
  const value = follow(open, dict.get(key));
  return value instanceof PdfName ? value.value : undefined;
}

export function textAt(open: OpenPdf, dict: PdfDict, key: string): string | undefined {
  const value = follow(open, dict.get(key));
  return value instanceof PdfString ? value.asString() : undefined;
}

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
 * Errors: `pdf_too_complex`, `pdf_damaged`.
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
  const keyword = findWord(bytes, END_OF_STREAM, end);
  spend(budget, keyword - end);
  return Math.min(keyword + END_OF_STREAM.length, bytes.length);
}

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
 * Errors: `pdf_too_complex`, `pdf_damaged`.
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
 */
async function isDecryptedBearably(
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

type Piece = { readonly bytes: Uint8Array; readonly from: number; readonly end: number };

const [HASH, SLASH, PERCENT] = [0x23, 0x2f, 0x25] as const;

const END = ENCODER.encode("\nendobj\n");

/**
 * The parser would lose these names: it decodes `#xx` as UTF-8, while a name is bytes. Copies in
 * memory are spelled so that it yields Latin-1.
 * Source: ISO 32000-2 §7.3.5 (two names are the same if their bytes are).
 */
class ExactNames {
  private readonly budget: WorkBudget;
  private readonly plain = new Map<number, Uint8Array>();
  private readonly packed = new Map<string, Uint8Array>();

  constructor(budget: WorkBudget) {
    this.budget = budget;
  }

  get isEmpty(): boolean {
    return this.plain.size + this.packed.size === 0;
  }

  notePlain(offset: number, { behind, ...piece }: Piece & { readonly behind: number }): void {
    const value = this.plain.has(offset) ? null : this.respelled(piece);
    if (!value) return;
    const { bytes, from, end } = piece;
    const rest = bytes.subarray(end, behind);
    spend(this.budget, rest.length);
    this.plain.set(offset, concatBytes([bytes.subarray(offset, from), value, rest, END]));
  }

  notePacked(
    {
      stream,
      index,
      number,
    }: { readonly stream: number; readonly index: number; readonly number: number },
    piece: Piece,
  ): void {
    const value = this.respelled(piece);
    if (value)
      this.packed.set(
        `${stream} ${index}`,
        concatBytes([ENCODER.encode(`${number} 0 obj\n`), value, END]),
      );
  }

  /** The objects follow the file; its cross-reference points at them. */
  behind(
    bytes: Uint8Array,
    { entries, trailer }: Xref,
  ): { readonly bytes: Uint8Array; readonly xref: Xref } {
    const chunks: Uint8Array[] = [bytes];
    let position = bytes.length;
    const led = [...entries].map(([number, entry]): [number, XrefEntry] => {
      const object = entry.kind === "plain" ? this.plain.get(entry.offset) : this.packedAt(entry);
      if (!object) return [number, entry];
      const offset = position;
      chunks.push(object);
      position += object.length;
      spend(this.budget, object.length);
      return [
        number,
        { kind: "plain", offset, generation: entry.kind === "plain" ? entry.generation : 0 },
      ];
    });
    return { bytes: concatBytes(chunks), xref: { entries: new Map(led), trailer } };
  }

  private packedAt(entry: XrefEntry): Uint8Array | undefined {
    return entry.kind === "packed" ? this.packed.get(`${entry.stream} ${entry.index}`) : undefined;
  }

  private respelled({ bytes, from, end }: Piece): Uint8Array | null {
    const value = bytes.subarray(from, end);
    if (value.indexOf(HASH) < 0) return null;
    spend(this.budget, value.length);
    const parts: Uint8Array[] = [];
    let kept = 0;
    for (let at = 0; at < value.length; ) {
      const byte = value[at];
      const after = isBlank(byte)
        ? at + 1
        : byte === PERCENT
          ? lineEnd(value, at)
          : tokenEnd(value, at);
      const name = byte === SLASH ? respelledName(value.subarray(at + 1, after)) : null;
      if (name !== null) {
        parts.push(value.subarray(kept, at), ENCODER.encode(name));
        kept = after;
      }
      at = after;
    }
    return parts.length > 0 ? concatBytes([...parts, value.subarray(kept)]) : null;
  }
}

/** Null for a name of ASCII alone or without a code. */
function respelledName(name: Uint8Array): string | null {
  if (name.indexOf(HASH) < 0) return null;
  const text = latinText(name).replace(/#([0-9A-Fa-f]{2})/g, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  if (bytes.every((byte) => byte < 0x80)) return null;
  // A code makes the parser decode the whole name as UTF-8.
  const coded = ENCODER.encode(String.fromCharCode(...bytes));
  return `/${Array.from(coded, (byte) => `#${byte.toString(16).padStart(2, "0")}`).join("")}`;
}
