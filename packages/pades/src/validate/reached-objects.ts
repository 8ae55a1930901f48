import { type PdfObject, PdfRef } from "@libpdf/core";
import { heldReferences } from "../pdf/held-references.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";

/** The objects that a revision's trailer leads to: by number, the generations that references give. */
export type ReachedObjects = ReadonlyMap<number, ReadonlySet<number>>;

/** Walks a revision from its catalog and its information dictionary, each object once. */
export function reachedObjects(open: OpenPdf): ReachedObjects {
  const reached = new Map<number, Set<number>>();
  const waiting: PdfObject[] = [open.catalogRef];
  const information = open.trailer.get("Info");
  if (information) waiting.push(information);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    let object: PdfObject | null = value;
    if (value instanceof PdfRef) {
      const generations = reached.get(value.objectNumber) ?? new Set();
      if (generations.has(value.generation)) continue;
      reached.set(value.objectNumber, generations.add(value.generation));
      object = open.pdf.context.resolve(value);
    }
    if (object instanceof PdfRef) waiting.push(object);
    // One by one: an array of a hundred thousand is more than a call takes.
    else if (object) for (const { ref } of heldReferences(object)) waiting.push(ref);
  }
  return reached;
}
