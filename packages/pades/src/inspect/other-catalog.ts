import { PdfDict, PdfRef } from "@libpdf/core";
import { nameAt, type OpenPdf } from "../pdf/open-pdf.ts";

/**
 * Says whether an object calls itself the file's catalog without being it: a reader that rebuilds the file may open it there.
 * Source: ISO 32000-2 §7.7.2.
 */
export function holdsOtherCatalog(open: OpenPdf): boolean {
  for (const [number, entry] of open.entries) {
    if (entry.kind === "free" || number === open.catalogRef.objectNumber) continue;
    const object = open.pdf.context.resolve(PdfRef.of(number, entry.kind === "plain" ? entry.generation : 0));
    if (object instanceof PdfDict && nameAt(open, object, "Type") === "Catalog") return true;
  }
  return false;
}
