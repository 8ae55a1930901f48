import { PdfArray, type PdfDict } from "@libpdf/core";
import { eachDict } from "../inspect/walk-objects.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";

/**
 * Says whether the file holds a signature that is the value of no field of its form: some readers show it all the same, and nobody judges
 * it. Those that give a reader program its rights stand in the catalog alone.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §12.7.3, §12.8.1; ISO 32000-1 §12.8.4, table 258 (UR, UR3).
 */
export function holdsUnlistedSignature(open: OpenPdf): boolean {
  const permissions = dictAt(open, open.catalog, "Perms");
  const rights = permissions ? ["UR", "UR3"].map((key) => dictAt(open, permissions, key)) : [];
  const known = new Set<PdfDict | undefined>([...signedFields(open).map(({ value }) => value), ...rights]);
  for (const dict of eachDict(open)) {
    if (!known.has(dict) && dict.has("ByteRange") && follow(open, dict.get("ByteRange")) instanceof PdfArray) return true;
  }
  return false;
}
