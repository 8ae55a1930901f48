import { PdfRef } from "@libpdf/core";
import type { OpenPdf } from "../pdf/open-pdf.ts";

/**
 * Gives the object that is the form and nothing else; null for one in the catalog itself, and for one that the trailer takes for the
 * information dictionary, which must stay as it is.
 * Tolerance: PyPDF2 makes one object of both.
 */
export function formReference(open: OpenPdf): PdfRef | null {
  const [form, information] = [open.catalog.get("AcroForm"), open.trailer.get("Info")];
  if (!(form instanceof PdfRef)) return null;
  return information instanceof PdfRef && information.objectNumber === form.objectNumber ? null : form;
}
