import { PdfArray, PdfDict, PdfName, type PdfObject } from "@libpdf/core";
import type { OpenPdf } from "../pdf/open-pdf.ts";
import { writeName } from "../pdf/write-object.ts";

const ENCODER = new TextEncoder();

/**
 * Has the library write each name of a file by its bytes: it takes a name's characters for text, and would write them in UTF-8, while the
 * pages' contents go on calling the name as it was.
 */
export function writeNamesExactly(open: OpenPdf): void {
  const waiting: PdfObject[] = [open.trailer, ...open.pdf.context.registry.getLoadedObjects().values()];
  const seen = new Set<PdfObject>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PdfName) keepBytes(value);
    if (!(value instanceof PdfArray || value instanceof PdfDict) || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof PdfArray) for (const item of value) waiting.push(item);
    else for (const [key, item] of value) waiting.push(key, item);
  }
}

/** The library keeps what it wrote of a name, and every file has the same name for the same bytes. */
function keepBytes(name: PdfName): void {
  Reflect.set(name, "cachedBytes", ENCODER.encode(writeName(name.value)));
}
