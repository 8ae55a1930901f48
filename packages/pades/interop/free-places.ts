import { PdfDict, PdfNumber } from "@libpdf/core";
import { arrayAt, follow, type OpenPdf, openPdf } from "../src/pdf/open-pdf.ts";
import { type Box, type Page, pageAt, rectangleOn } from "../src/pdf/page-geometry.ts";
import type { FieldPlacement } from "../src/pdf/types.ts";

const STEP = 0.02;
const EDGE = 0.02;

const overlap = (a: Box, b: Box): boolean =>
  a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const hasArea = ([left, bottom, right, top]: Box): boolean => right > left && top > bottom;

function annotationBoxes(open: OpenPdf, page: Page): Box[] {
  const boxes: Box[] = [];
  for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
    const annotation = follow(open, item);
    const rectangle = annotation instanceof PdfDict ? arrayAt(open, annotation, "Rect") : undefined;
    const [a, b, c, d] = (rectangle?.toArray() ?? []).map((value) => {
      const number = follow(open, value);
      return number instanceof PdfNumber ? number.value : Number.NaN;
    });
    if (a === undefined || b === undefined || c === undefined || d === undefined) continue;
    boxes.push([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
  }
  return boxes.filter(hasArea);
}

/** Moves fields to where the first page has no annotation; a field without room is left out. */
export async function onFreePlaces(
  bytes: Uint8Array,
  placements: readonly FieldPlacement[],
): Promise<FieldPlacement[]> {
  const open = await openPdf(bytes);
  const page = pageAt(open, 1);
  const taken = annotationBoxes(open, page);
  return placements.flatMap((placement) => {
    const free = candidates(placement).find(
      (place) => !taken.some((box) => overlap(box, rectangleOn(page, place))),
    );
    if (!free) return [];
    taken.push(rectangleOn(page, free));
    return [free];
  });
}

function candidates(placement: FieldPlacement): FieldPlacement[] {
  const out = [placement];
  for (let y = EDGE; y + placement.height <= 1 - EDGE; y += STEP) {
    for (let x = EDGE; x + placement.width <= 1 - EDGE; x += STEP) out.push({ ...placement, x, y });
  }
  return out;
}

/** Whether the annotations of a file overlap before we add ours. */
export async function overlapsItself(bytes: Uint8Array): Promise<boolean> {
  const open = await openPdf(bytes);
  for (let number = 1; number <= open.pdf.context.pages.getPageCount(); number += 1) {
    const boxes = annotationBoxes(open, pageAt(open, number));
    if (boxes.some((box, index) => boxes.slice(index + 1).some((other) => overlap(box, other))))
      return true;
  }
  return false;
}
