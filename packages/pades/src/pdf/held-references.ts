import { PdfArray, PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { isDestination } from "./destination.ts";

/**
 * A reference that stands in an object, and the key that leads to it; null where the object is itself an array, or holds arrays alone. The
 * page of a destination is under `Dest`, whatever name the destination has.
 */
export type HeldReference = { readonly key: string | null; readonly ref: PdfRef };

const HELD = new WeakMap<PdfObject, readonly HeldReference[]>();
const NONE: readonly HeldReference[] = [];

/** Gives the references that stand in an object, however deep; each object is looked through once. */
export function heldReferences(object: PdfObject): readonly HeldReference[] {
  if (!(object instanceof PdfArray || object instanceof PdfDict)) return NONE;
  const known = HELD.get(object) ?? lookThrough(object);
  HELD.set(object, known);
  return known;
}

/** Gives the key of an array's item where that is not the array's own. */
export function itemKey(array: PdfArray, index: number): string | null {
  return index === 0 && isDestination(array) ? "Dest" : null;
}

function lookThrough(object: PdfArray | PdfDict): readonly HeldReference[] {
  const found: HeldReference[] = [];
  const waiting: { readonly key: string | null; readonly value: PdfArray | PdfDict }[] = [{ key: null, value: object }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    const meet = (item: PdfObject, key: string | null): void => {
      if (item instanceof PdfRef) found.push({ key, ref: item });
      else if (item instanceof PdfArray || item instanceof PdfDict) waiting.push({ key, value: item });
    };
    if (value instanceof PdfArray) for (const [index, item] of value.toArray().entries()) meet(item, itemKey(value, index) ?? next.key);
    else for (const [name, item] of value) meet(item, name.value);
  }
  return found.length > 0 ? found : NONE;
}
