import { type PdfObject, PdfRef } from "@libpdf/core";
import { heldReferences } from "./held-references.ts";
import type { OpenPdf } from "./open-pdf.ts";

/** Further than any update goes: what is referred to beyond is never met, and readers make room for every number below the largest. */
const FARTHEST = 65_536;

/** `from`: the first object number above all that the file refers to; `missing`: the numbers below it where no object ever stood, and all references are of generation 0. */
export type FreeNumbers = { readonly from: number; readonly missing: readonly number[] };

/**
 * Looks for what the file refers to and does not have: a new object under such a number would come into places that are not meant for it.
 * Shape: what the newest trailer leads to is walked, and of earlier trailers what they name, which some readers still look at.
 * Source: ISO 32000-2 §7.3.10 (a reference to what is not there is null), §7.5.5.
 */
export function freeNumbers(open: OpenPdf): FreeNumbers {
  const limit = open.nextObjectNumber + FARTHEST;
  const referred = new Map<number, Set<number>>();
  const waiting: PdfObject[] = [open.trailer, ...open.namedByTrailers];
  for (let object = waiting.pop(); object; object = waiting.pop()) {
    for (const { ref } of object instanceof PdfRef ? [{ ref: object }] : heldReferences(object)) {
      const generations = referred.get(ref.objectNumber) ?? new Set();
      if (generations.has(ref.generation)) continue;
      referred.set(ref.objectNumber, generations.add(ref.generation));
      const found = open.pdf.context.resolve(ref);
      if (found) waiting.push(found);
    }
  }
  const within = [...referred].filter(([number]) => number > 0 && number < limit);
  return {
    from: within.reduce((free, [number]) => Math.max(free, number + 1), open.nextObjectNumber),
    missing: within.flatMap(([number, of]) => (!open.entries.has(number) && of.size === 1 && of.has(0) ? [number] : [])),
  };
}
