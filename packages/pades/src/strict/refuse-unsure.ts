import { PdfRef } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";
import { readPageTree } from "./page-tree.ts";

/**
 * Refuses a file of which a copy would be a guess: pages that one reader shows and another does not, objects that are references
 * themselves, which one reader follows and another takes for null.
 * Errors: PadesError `pdf_damaged`.
 * Source: ISO 32000-2 §7.3.10, §7.7.3.2.
 */
export function refuseUnsure(open: OpenPdf): void {
  if (readPageTree(open) === "unsure")
    throw new PadesError("pdf_damaged", "Expected the same pages for every reader", { clause: "ISO 32000-2 §7.7.3.2" });
  for (const [number, entry] of open.entries) {
    const ref = PdfRef.of(number, entry.kind === "plain" ? entry.generation : 0);
    if (entry.kind !== "free" && open.pdf.context.resolve(ref) instanceof PdfRef)
      throw new PadesError("pdf_damaged", "Expected objects that are values", { clause: "ISO 32000-2 §7.3.10" });
  }
}
