import {
  PDF,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfString,
} from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { isDecryptedBearably, requireBearableObjects } from "./bearable-objects.ts";
import { ExactNames } from "./exact-names.ts";
import { obeysXref, quietly, resolveQuietly } from "./obey-xref.ts";
import { readXref, rebuildXref } from "./read-xref.ts";
import { type WorkBudget, workBudget } from "./byte-reader.ts";
import { type CrossReference, type XrefEntry, xrefView } from "./cross-reference.ts";

/** A parsed file and what its incremental update needs. */
export type OpenPdf = {
  readonly bytes: Uint8Array;
  readonly pdf: PDF;
  readonly trailer: PdfDict;
  readonly catalog: PdfDict;
  readonly catalogRef: PdfRef;
  /** Empty for an untrustworthy cross-reference. */
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly startXref: number;
  readonly xrefStyle: "table" | "stream";
  /** Bytes read or made to read it. */
  readonly work: number;
  readonly nextObjectNumber: number;
  readonly namedByTrailers: readonly PdfRef[];
  /** Some readers ignore an `XRefStm`. */
  readonly isHybrid: boolean;
  /** Why the file cannot take an incremental update, or null. */
  readonly blocker: "encrypted" | "broken_xref" | null;
};

const LATIN = new TextDecoder("latin1");

/**
 * Parses a PDF.
 * Errors: PadesError `not_a_pdf`, `pdf_encrypted` (a user password),
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

/** Null when the parser finds no file or other objects. */
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

/** Errors: PadesError `pdf_too_complex`, `pdf_damaged`. */
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

/**
 * Offsets count from the header if that fits, else the latest object of each number counts.
 * Errors: PadesError `pdf_encrypted` and `pdf_encrypted_for_recipients`, `pdf_damaged`,
 * `pdf_too_complex`.
 */
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

/** The view, with exact names. */
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
 * Errors: PadesError `pdf_encrypted`, `pdf_damaged`.
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
