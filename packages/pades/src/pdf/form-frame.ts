import { PdfArray, PdfNumber, type PdfStream } from "@libpdf/core";
import { follow, type OpenPdf } from "./open-pdf.ts";

/**
 * Says whether a form has the box that it is cut to: four numbers. Without one some readers draw the whole of it, wherever it reaches, and
 * others nothing. Source: ISO 32000-2 §8.10.2, table 93 (BBox is required).
 */
export function hasFrame(open: OpenPdf, form: PdfStream): boolean {
  const box = follow(open, form.get("BBox"));
  return box instanceof PdfArray && box.length === 4 && box.toArray().every((item) => isFinite(open, item));
}

function isFinite(open: OpenPdf, item: Parameters<typeof follow>[1]): boolean {
  const number = follow(open, item);
  return number instanceof PdfNumber && Number.isFinite(number.value);
}
