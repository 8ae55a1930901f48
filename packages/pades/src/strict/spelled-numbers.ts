import type { PdfNumber } from "@libpdf/core";

const LARGEST_NUMBER = 2 ** 31 - 1;
const SPELLINGS = new WeakMap<PdfNumber, string>();

/**
 * Says whether a number is beyond 32 bits: some readers make nothing of it, others the nearest they have, and a point more or less is
 * another number to them. Source: ISO 32000-1 annex C, table C.1.
 */
export function isBeyondReaders(number: PdfNumber): boolean {
  return Math.abs(number.value) > LARGEST_NUMBER;
}

/** Keeps how such a number stands in its file, once it was read by the letter. */
export function noteSpelling(number: PdfNumber, text: string): void {
  SPELLINGS.set(number, text);
}

/** Says whether two such numbers stand in their files in the same characters, of which every reader makes the same. */
export function areSpelledAlike(left: PdfNumber, right: PdfNumber): boolean {
  const text = SPELLINGS.get(left);
  return text !== undefined && text === SPELLINGS.get(right);
}
