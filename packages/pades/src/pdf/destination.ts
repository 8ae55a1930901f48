import { type PdfArray, PdfName, PdfRef } from "@libpdf/core";

/** Source: ISO 32000-2 §12.3.2.2, table 149. */
const FITS = new Set(["XYZ", "Fit", "FitH", "FitV", "FitR", "FitB", "FitBH", "FitBV"]);

/** Says whether an array is a place of the document: a page, and how it is shown. Source: ISO 32000-2 §12.3.2.2. */
export function isDestination(array: PdfArray): boolean {
  const fit = array.at(1);
  return array.at(0) instanceof PdfRef && fit instanceof PdfName && FITS.has(fit.value);
}
