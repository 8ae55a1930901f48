import { PadesError } from "../pades-error.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";

const MAX_SIGNATURES = 1_000;
const MAX_HASHED_BYTES = 2 ** 31;

/** Refuses more signatures than can be judged: the range of each is hashed, and may be the whole file. Errors: PadesError `pdf_too_complex`. */
export function requireBearableSignatures(open: OpenPdf, count: number): void {
  if (count > MAX_SIGNATURES || count * open.bytes.length > MAX_HASHED_BYTES)
    throw new PadesError("pdf_too_complex", "Expected a bearable number of signatures");
}
