import { PdfDict, PdfNumber } from "@libpdf/core";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { type Box, type Page, placeOf } from "../pdf/page-geometry.ts";
import type { FormPlace, TakenPlace } from "../pdf/types.ts";

/** Hidden and NoView: nothing is displayed there. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;
/** Of each kind; a page with more annotations than this has no free place that matters. */
const MAX_PLACES = 500;
/** Of a whole file: what is told of its form, and annotations that are looked at for it. Pages may share one long list. */
const MAX_FORM_PLACES = 2_000;
const MAX_LOOKED_AT = 20_000;

/**
 * Gives where a page's annotations are displayed: the fields of its form, signatures made elsewhere, links.
 * A signature put over one of them would hide it, and validators hold it against the file. Source: ISO 32000-2 §12.5.2.
 * Fields and signatures are the widgets (§12.5.6.19).
 */
export function takenPlaces(open: OpenPdf, page: Page): readonly TakenPlace[] {
  const widgets: TakenPlace[] = [];
  const others: TakenPlace[] = [];
  for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
    const annotation = follow(open, item);
    if (!(annotation instanceof PdfDict) || !isShown(open, annotation)) continue;
    const box = rectangleOf(open, annotation);
    if (box === null) continue;
    const isWidget = nameAt(open, annotation, "Subtype") === "Widget";
    if (isWidget && widgets.length < MAX_PLACES) widgets.push(placeOf(page, box));
    if (!isWidget && others.length < MAX_PLACES) others.push({ ...placeOf(page, box), coverable: true });
  }
  return [...widgets, ...others];
}

/** Gives where the fields of a file's own form, and the signatures it bears, are displayed, from the first page on. Source: ISO 32000-2 §12.5.6.19. */
export function formPlaces(open: OpenPdf, pages: readonly Page[]): readonly FormPlace[] {
  const places: FormPlace[] = [];
  let lookedAt = 0;
  for (const [index, page] of pages.entries())
    for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
      if (places.length === MAX_FORM_PLACES || ++lookedAt > MAX_LOOKED_AT) return places;
      const annotation = follow(open, item);
      if (!(annotation instanceof PdfDict) || nameAt(open, annotation, "Subtype") !== "Widget" || !isShown(open, annotation)) continue;
      const box = rectangleOf(open, annotation);
      if (box !== null) places.push({ pageNumber: index + 1, ...placeOf(page, box) });
    }
  return places;
}

function isShown(open: OpenPdf, annotation: PdfDict): boolean {
  return ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) === 0;
}

function rectangleOf(open: OpenPdf, annotation: PdfDict): Box | null {
  const numbers = (arrayAt(open, annotation, "Rect")?.toArray() ?? []).map((value) => {
    const number = follow(open, value);
    return number instanceof PdfNumber ? number.value : Number.NaN;
  });
  const [a, b, c, d] = numbers as [number, number, number, number];
  if (numbers.length !== 4 || !numbers.every(Number.isFinite) || a === c || b === d) return null;
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}
