import { PdfArray, PdfDict, PdfName, type PdfObject, PdfRef } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { type OpenPdf, follow } from "./open-pdf.ts";

/** Above any producer's nesting, and the objects of ten megabytes. */
const MAX_DEPTH = 256;
const MAX_NODES = 2_000_000;

/**
 * Every dictionary (streams too) that the trailer reaches, once.
 * Errors: `pdf_too_complex` when the graph is deeper or larger than any honest file.
 */
export function* eachDict(open: OpenPdf): Generator<PdfDict> {
  // The parser alone reads it: its strings are not encrypted (ISO 32000-2 §7.6.2).
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

/** Source: ISO 32000-2 §12.3.2.2, table 149. */
const FITS = new Set(["XYZ", "Fit", "FitH", "FitV", "FitR", "FitB", "FitBH", "FitBV"]);

/** Source: ISO 32000-2 §12.3.2.2. */
function isDestination(array: PdfArray): boolean {
  const fit = array.at(1);
  return array.at(0) instanceof PdfRef && fit instanceof PdfName && FITS.has(fit.value);
}

/** `key`: what leads to it, null at the top of an array; a destination's page has `Dest`. */
type InnerReference = { readonly key: string | null; readonly ref: PdfRef };

const HELD = new WeakMap<PdfObject, readonly InnerReference[]>();
const NONE: readonly InnerReference[] = [];

export function innerReferences(object: PdfObject): readonly InnerReference[] {
  if (!(object instanceof PdfArray || object instanceof PdfDict)) return NONE;
  const known = HELD.get(object) ?? lookThrough(object);
  HELD.set(object, known);
  return known;
}

export function itemKey(array: PdfArray, index: number): string | null {
  return index === 0 && isDestination(array) ? "Dest" : null;
}

function lookThrough(object: PdfArray | PdfDict): readonly InnerReference[] {
  const found: InnerReference[] = [];
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

/** Readers allocate room for every number below the largest. */
const FARTHEST = 65_536;

/** `from`: above all references; `missing`: numbers below it without an object, of generation 0. */
type FreeNumbers = { readonly from: number; readonly missing: readonly number[] };

/**
 * A new object under a missing number would appear where references point.
 * Shape: walks also what earlier trailers name, which some readers still use.
 * Source: ISO 32000-2 §7.3.10 (such a reference is null), §7.5.5.
 */
export function freeNumbers(open: OpenPdf): FreeNumbers {
  const limit = open.nextObjectNumber + FARTHEST;
  const referred = new Map<number, Set<number>>();
  const waiting: PdfObject[] = [open.trailer, ...open.namedByTrailers];
  for (let object = waiting.pop(); object; object = waiting.pop()) {
    for (const { ref } of object instanceof PdfRef ? [{ ref: object }] : innerReferences(object)) {
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
