import { PdfArray, PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";

/** Above any producer's nesting, and the objects of ten megabytes. */
const MAX_DEPTH = 256;
const MAX_NODES = 2_000_000;

/**
 * Every dictionary (streams too) that the trailer reaches, once.
 * Errors: PadesError `pdf_too_complex` when the graph is deeper or larger than any honest file.
 */
export function* eachDict(open: OpenPdf): Generator<PdfDict> {
  // Only the parser reads the encryption dictionary: its strings are not encrypted (ISO 32000-2
  // §7.6.2).
  const encryption = open.trailer.get("Encrypt");
  const seen = new Set<string>(encryption instanceof PdfRef ? [encryption.toString()] : []);
  const stack: { value: PdfObject; depth: number }[] = [{ value: open.trailer, depth: 0 }];
  for (let nodes = 0; stack.length > 0; nodes += 1) {
    const { value, depth } = stack.pop() as (typeof stack)[number];
    if (nodes > MAX_NODES || depth > MAX_DEPTH)
      throw new PadesError("pdf_too_complex", "Expected a bearable object graph");
    if (value instanceof PdfRef) {
      const key = value.toString();
      if (seen.has(key)) continue;
      seen.add(key);
      const target = follow(open, value);
      // Depth counts direct nesting; chains of references may be long.
      if (target) stack.push({ value: target, depth: 0 });
    } else if (value instanceof PdfArray) {
      for (const item of value)
        if (isContainer(item)) stack.push({ value: item, depth: depth + 1 });
    } else if (value instanceof PdfDict) {
      yield value;
      for (const [, item] of value)
        if (isContainer(item)) stack.push({ value: item, depth: depth + 1 });
    }
  }
}

const isContainer = (value: PdfObject): boolean =>
  value instanceof PdfRef || value instanceof PdfArray || value instanceof PdfDict;
