import { PdfArray, type PdfDict, PdfNumber, type PdfObject, PdfString } from "@libpdf/core";
import { hexDigit } from "../asn1/hex.ts";
import { PadesError } from "../pades-error.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";

export type Coverage = {
  readonly problem: string | null;
  readonly covered: readonly [Uint8Array, Uint8Array] | null;
  readonly contents: Uint8Array;
  readonly revisionLength: number;
  readonly coverage: "whole_file" | "whole_revision" | "partial";
};

/** The file's history and the page cover ask too. */
const COVERAGES = new WeakMap<OpenPdf, Map<PdfDict, Coverage>>();

/**
 * A range begins at 0, leaves out this signature's own `/Contents` alone, and ends at a revision's
 * end. Both are direct objects, so every reader finds the same.
 * Source: ISO 32000-2 §12.8.1, table 255; the attacks USF, ISA and SWA of Mladenov et al., "1
 * Trillion Dollar Refund".
 */
export function checkByteRange(open: OpenPdf, signature: PdfDict): Coverage {
  const known = COVERAGES.get(open) ?? new Map<PdfDict, Coverage>();
  COVERAGES.set(open, known);
  const coverage = known.get(signature) ?? readCoverage(open, signature);
  known.set(signature, coverage);
  return coverage;
}

function readCoverage(open: OpenPdf, signature: PdfDict): Coverage {
  const contents = signature.get("Contents");
  const value = contents instanceof PdfString ? contents.bytes : new Uint8Array();
  const refuse = (problem: string, revisionLength = 0): Coverage => ({
    problem,
    covered: null,
    contents: value,
    revisionLength,
    coverage: "partial",
  });
  const range = numbersOf(signature.get("ByteRange"));
  if (range?.length !== 4) return refuse("four whole numbers were expected");
  const [start, length, restart, rest] = range as [number, number, number, number];
  const end = restart + rest;
  if (start !== 0 || length <= 0 || restart <= length || rest <= 0 || end > open.bytes.length)
    return refuse("the numbers do not span the file");
  const gap = open.bytes.subarray(length, restart);
  if (!sameAsHex(gap, value))
    return refuse("what is left out is not this signature's value as one hexadecimal string", end);
  if (!endsRevision(open.bytes.subarray(0, end)))
    return refuse("the range does not end with a revision", end);
  return {
    problem: null,
    covered: [open.bytes.subarray(0, length), open.bytes.subarray(restart, end)],
    contents: value,
    revisionLength: end,
    coverage: end === open.bytes.length ? "whole_file" : "whole_revision",
  };
}

function numbersOf(array: PdfObject | undefined): number[] | null {
  if (!(array instanceof PdfArray)) return null;
  const numbers = array
    .toArray()
    .map((item) =>
      item instanceof PdfNumber && Number.isSafeInteger(item.value) && item.value >= 0
        ? item.value
        : Number.NaN,
    );
  return numbers.every(Number.isFinite) ? numbers : null;
}

function sameAsHex(gap: Uint8Array, value: Uint8Array): boolean {
  if (
    value.length === 0 ||
    value.length * 2 !== gap.length - 2 ||
    gap[0] !== 0x3c ||
    gap.at(-1) !== 0x3e
  )
    return false;
  for (let index = 0; index < value.length; index += 1) {
    const high = hexDigit(gap[1 + index * 2]);
    const low = hexDigit(gap[2 + index * 2]);
    if (high < 0 || low < 0 || high * 16 + low !== value[index]) return false;
  }
  return true;
}

/** At most one end of line may follow `startxref n %%EOF`. */
export function endsRevision(bytes: Uint8Array): boolean {
  const tail = new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, bytes.length - 64)));
  return /startxref\s+\d+\s+%%EOF(?:\r\n|\r|\n)?$/.test(tail);
}

const MAX_SIGNATURES = 1_000;
const MAX_HASHED_BYTES = 2 ** 31;

/** Each range is hashed, and may be the whole file. Errors: PadesError `pdf_too_complex`. */
export function requireBearableSignatures(open: OpenPdf, count: number): void {
  if (count > MAX_SIGNATURES || count * open.bytes.length > MAX_HASHED_BYTES)
    throw new PadesError("pdf_too_complex", "Expected a bearable number of signatures");
}
