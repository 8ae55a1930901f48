import { PdfArray, PdfDict, PdfName, type PdfObject, PdfRef } from "@libpdf/core";
import type { OpenPdf } from "./open-pdf.ts";

/** Source: ISO 32000-2 §12.3.2.2, table 149. */
const FITS = new Set(["XYZ", "Fit", "FitH", "FitV", "FitR", "FitB", "FitBH", "FitBV"]);

/**
 * Whether an array is a destination: a page, and how it is shown.
 * Source: ISO 32000-2 §12.3.2.2.
 */
function isDestination(array: PdfArray): boolean {
  const fit = array.at(1);
  return array.at(0) instanceof PdfRef && fit instanceof PdfName && FITS.has(fit.value);
}

/**
 * A reference inside an object and the key that leads to it; null for an array at the top. A
 * destination's page has the key `Dest`.
 */
type HeldReference = { readonly key: string | null; readonly ref: PdfRef };

const HELD = new WeakMap<PdfObject, readonly HeldReference[]>();
const NONE: readonly HeldReference[] = [];

/** The references inside an object, at any depth. */
export function heldReferences(object: PdfObject): readonly HeldReference[] {
  if (!(object instanceof PdfArray || object instanceof PdfDict)) return NONE;
  const known = HELD.get(object) ?? lookThrough(object);
  HELD.set(object, known);
  return known;
}

/** The key of an array's item where it differs from the array's. */
export function itemKey(array: PdfArray, index: number): string | null {
  return index === 0 && isDestination(array) ? "Dest" : null;
}

function lookThrough(object: PdfArray | PdfDict): readonly HeldReference[] {
  const found: HeldReference[] = [];
  const waiting: { readonly key: string | null; readonly value: PdfArray | PdfDict }[] = [
    { key: null, value: object },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    const meet = (item: PdfObject, key: string | null): void => {
      if (item instanceof PdfRef) found.push({ key, ref: item });
      else if (item instanceof PdfArray || item instanceof PdfDict)
        waiting.push({ key, value: item });
    };
    if (value instanceof PdfArray)
      for (const [index, item] of value.toArray().entries())
        meet(item, itemKey(value, index) ?? next.key);
    else for (const [name, item] of value) meet(item, name.value);
  }
  return found.length > 0 ? found : NONE;
}

/**
 * Larger numbers are no reference that an update could meet; readers allocate room for every number
 * below the largest.
 */
const FARTHEST = 65_536;

/**
 * `from`: the first number above all references; `missing`: numbers below it that never had an
 * object and whose references have generation 0.
 */
type FreeNumbers = { readonly from: number; readonly missing: readonly number[] };

/**
 * Finds references to missing objects: a new object under such a number would appear where they
 * point.
 * Shape: walks the newest trailer, and what earlier trailers name, which some readers still use.
 * Source: ISO 32000-2 §7.3.10 (such a reference is null), §7.5.5.
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
    missing: within.flatMap(([number, of]) =>
      !open.entries.has(number) && of.size === 1 && of.has(0) ? [number] : [],
    ),
  };
}
