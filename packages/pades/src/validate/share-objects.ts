import { PdfNumber, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { objectHeaderAt } from "../pdf/byte-reader.ts";
import type { OpenPdf } from "../pdf/open-pdf.ts";
import { valueEnd } from "../pdf/value-end.ts";
import { sameEntry } from "../pdf/xref-types.ts";

type Resolver = (ref: PdfRef) => PdfObject | null;
/** What may stand between a stream's data and its object's end, and more. */
const MARGIN = 64;
const ENDS = new WeakMap<OpenPdf, Map<number, number>>();

/**
 * Has a revision give the objects that the whole file has parsed, where both lead to the same bytes: what no update touches is read once,
 * however many revisions there are.
 * Shape: an object that goes on behind the revision's end, or a stream whose length stands elsewhere, is the revision's own.
 */
export function shareObjects(whole: OpenPdf, revision: OpenPdf): void {
  const { registry } = revision.pdf.context;
  const own = Reflect.get(registry, "resolver") as Resolver;
  registry.setResolver((ref) => sharedObject(ref, { whole, revision }) ?? own(ref));
}

type Pair = { readonly whole: OpenPdf; readonly revision: OpenPdf };

function sharedObject(ref: PdfRef, pair: Pair): PdfObject | null {
  const { whole, revision } = pair;
  const [here, there] = [revision.entries.get(ref.objectNumber), whole.entries.get(ref.objectNumber)];
  if (!here || !there || !sameEntry(here, there)) return null;
  if (here.kind === "packed") {
    const isShared = ref.generation === 0 && sharedObject(PdfRef.of(here.stream, 0), pair) !== null;
    return isShared ? whole.pdf.context.resolve(ref) : null;
  }
  if (here.kind !== "plain" || here.generation !== ref.generation) return null;
  const object = whole.pdf.context.resolve(ref);
  return object && endOf(whole, here.offset, object) <= revision.bytes.length ? object : null;
}

/** Gives the place behind an object of the whole file; infinity where that hangs on another object. */
function endOf(whole: OpenPdf, offset: number, object: PdfObject): number {
  const known = ENDS.get(whole) ?? new Map<number, number>();
  ENDS.set(whole, known);
  const end = known.get(offset) ?? readEnd(whole, offset, object);
  known.set(offset, end);
  return end;
}

function readEnd({ bytes }: OpenPdf, offset: number, object: PdfObject): number {
  const header = objectHeaderAt(bytes, offset);
  const end = header ? valueEnd(bytes, header.end) : Number.POSITIVE_INFINITY;
  if (!(object instanceof PdfStream)) return end;
  const length = object.get("Length");
  const isSaid = length instanceof PdfNumber && length.value === object.data.length;
  return isSaid ? end + length.value + MARGIN : Number.POSITIVE_INFINITY;
}
