import { PdfArray, type PdfDict, PdfString } from "@libpdf/core";
import { eachDict } from "../pdf/walk-objects.ts";
import { formFields, signedFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { paints } from "./signature-looks.ts";

const SIGNATURE_TYPES = new Set(["Sig", "DocTimeStamp"]);
/** Above the depth of `formFields`. */
const MAX_DEPTH = 100;

/**
 * Some readers show a signature outside the form's fields, which nobody validates. Usage rights
 * stand in the catalog alone.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §12.7.3, §12.8.1, table 255; ISO 32000-1 §12.8.4, table 258 (UR, UR3).
 */
export function hasUnlistedSignature(open: OpenPdf): boolean {
  const permissions = dictAt(open, open.catalog, "Perms");
  const rights = permissions ? ["UR", "UR3"].map((key) => dictAt(open, permissions, key)) : [];
  const known = new Set<PdfDict | undefined>([
    ...signedFields(open).map(({ value }) => value),
    ...rights,
  ]);
  const listed = listedWidgets(open);
  for (const dict of eachDict(open)) {
    if (!known.has(dict) && isSignature(open, dict)) return true;
    if (!listed.has(dict) && isShownSignatureField(open, dict)) return true;
  }
  return false;
}

/** Type is optional, and a forger may omit the range. */
function isSignature(open: OpenPdf, dict: PdfDict): boolean {
  if (dict.has("ByteRange") && follow(open, dict.get("ByteRange")) instanceof PdfArray) return true;
  if (SIGNATURE_TYPES.has(nameAt(open, dict, "Type") ?? "")) return true;
  return (
    nameAt(open, dict, "SubFilter") !== undefined &&
    follow(open, dict.get("Contents")) instanceof PdfString
  );
}

/** An empty unlisted field is a mere frame. */
function isShownSignatureField(open: OpenPdf, dict: PdfDict): boolean {
  if (nameAt(open, dict, "Subtype") !== "Widget" || inheritedType(open, dict) !== "Sig")
    return false;
  return dictAt(open, dict, "V") !== undefined || paints(open, dict);
}

/** Source: ISO 32000-2 §12.7.4.1, table 226. */
function inheritedType(open: OpenPdf, widget: PdfDict): string | undefined {
  let dict: PdfDict | undefined = widget;
  for (let depth = 0; dict && depth < MAX_DEPTH; depth += 1) {
    const type = nameAt(open, dict, "FT");
    if (type !== undefined) return type;
    dict = dictAt(open, dict, "Parent");
  }
  return undefined;
}

function listedWidgets(open: OpenPdf): ReadonlySet<unknown> {
  return new Set(
    formFields(open).flatMap(({ dict }) => [
      dict,
      ...(arrayAt(open, dict, "Kids")?.toArray() ?? []).map((kid) => follow(open, kid)),
    ]),
  );
}
