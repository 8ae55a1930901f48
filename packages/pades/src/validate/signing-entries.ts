import type { PdfDict } from "@libpdf/core";
import { PdfRef } from "@libpdf/core";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import type { PairedWalk } from "./paired-walk.ts";

/** What other makers write besides the value and the look when they sign in an empty field of the file. */
export const SIGNING_ENTRIES: ReadonlySet<string> = new Set(["Type", "F", "P", "DV"]);

/** Printed, and not to be moved: Source: ISO 32000-2 §12.5.3, table 167. */
const [PRINT, LOCKED] = [4, 128] as const;

/** A field or its widget as it was and as it was signed. */
type Signed = { readonly before: PdfDict; readonly after: PdfDict; readonly reference: string | null };

/**
 * Says whether what came to an empty field with its signature shows nothing but that.
 * Tolerance: iText prints and locks the field; PDFBox names its page; LibreOffice writes the value as the default value, too.
 */
export function isSigningEntry({ before: old, after: now }: PairedWalk, { before, after, reference }: Signed, key: string): boolean {
  if (key === "F") return gainsPrinting(numberAt(old, before, "F") ?? 0, numberAt(now, after, "F") ?? 0);
  if (before.has(key)) return false;
  if (key === "Type") return nameAt(now, after, "Type") === "Annot";
  if (key === "DV") return repeatsValue(after);
  return isOnPage(now, after.get("P"), reference);
}

function gainsPrinting(before: number, after: number): boolean {
  return (before & ~after) === 0 && (after & ~before & ~(PRINT | LOCKED)) === 0 && Number.isInteger(after);
}

/** The default value is the value itself: emptying the form leaves the signature. Source: ISO 32000-2 §12.7.4.1, table 226. */
export function repeatsValue(field: PdfDict): boolean {
  const [repeated, value] = [field.get("DV"), field.get("V")];
  return repeated instanceof PdfRef && value instanceof PdfRef && writeObject(repeated) === writeObject(value);
}

/** The page that a widget names is the one that shows it. */
function isOnPage(open: OpenPdf, named: ReturnType<PdfDict["get"]>, reference: string | null): boolean {
  const page = named instanceof PdfRef ? follow(open, named) : undefined;
  const shown = page?.type === "dict" ? arrayAt(open, page as PdfDict, "Annots")?.toArray() : undefined;
  return reference !== null && (shown ?? []).some((item) => writeObject(item) === reference);
}
