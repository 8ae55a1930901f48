import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from "@libpdf/core";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { hasFrame } from "../pdf/form-frame.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { isVisible, paints } from "../validate/signature-looks.ts";
import { annotationsOf, mayCover, pagesOf } from "./flatten-annotations.ts";
import { eachDict } from "./walk-objects.ts";

/** A border is a line around a link: a wider one covers what is under it, in the readers that draw it. Units: points. */
const WIDEST_BORDER = 3;
/** Farther than any page reaches: what a form is cut to that says of itself nothing. Units: points. Source: ISO 32000-1 annex C, table C.1. */
const FAR = 14_400;
/** Source: ISO 32000-2 §12.5.3, table 167 (Hidden, Print, NoView, ToggleNoView). */
const [HIDDEN, PRINT, NO_VIEW, TOGGLE_NO_VIEW] = [2, 4, 32, 256] as const;

/** Something that readers show differently, and what has them show the same. */
type Doubt = { isThere(open: OpenPdf, dict: PdfDict): boolean; settle(open: OpenPdf, dict: PdfDict): void };

const ON_PAGES: readonly Doubt[] = [
  {
    // ISO 32000-2 §7.7.3.3: a multiple of 90. Of another turn some readers make none, others the turn.
    isThere(open, page) {
      const turn = follow(open, inheritedAt(open, page, "Rotate"));
      return turn !== undefined && !(turn instanceof PdfNumber && turn.value % 90 === 0);
    },
    settle: (_open, page) => page.set("Rotate", PdfNumber.of(0)),
  },
];

const ON_ANNOTATIONS: readonly Doubt[] = [
  {
    // §12.5.5, algorithm 8: a look is fitted into its place by its box. Without one some readers draw it over the page, others nowhere.
    isThere: (open, annotation) => looksOf(open, annotation).some((look) => !isFramed(open, look)),
    settle: (_open, annotation) => annotation.delete("AP"),
  },
  {
    // §12.5.4: readers draw the border of a link, or do not; the copy has none where it would cover.
    isThere: (open, annotation) => nameAt(open, annotation, "Subtype") === "Link" && !(borderWidth(open, annotation) <= WIDEST_BORDER),
    settle(_open, link) {
      link.delete("BS");
      link.set("Border", new PdfArray([0, 0, 0].map((value) => PdfNumber.of(value))));
    },
  },
  {
    // What stays an annotation shows the same on the screen and on paper: what the screen shows.
    isThere: (open, annotation) => !mayCover(open, annotation) && showsSomething(open, annotation) && isPrintedOtherwise(open, annotation),
    settle(open, annotation) {
      const flags = numberAt(open, annotation, "F") ?? 0;
      const plain = flags & ~(NO_VIEW | TOGGLE_NO_VIEW);
      annotation.set("F", PdfNumber.of((flags & NO_VIEW) === 0 ? plain | PRINT : plain | HIDDEN));
    },
  },
  {
    // §12.5.5: `/AS` is required beside looks by state. Without it readers show the first, none, or the value's.
    isThere: (open, annotation) => looksByState(open, annotation) !== null && nameAt(open, annotation, "AS") === undefined,
    settle(open, annotation) {
      const value = follow(open, inheritedAt(open, annotation, "V"));
      const isState = value instanceof PdfName && looksByState(open, annotation)?.has(value.value);
      annotation.set("AS", isState ? value : PdfName.of("Off"));
    },
  },
];

const ON_FORMS: readonly Doubt[] = [
  {
    // §8.10.2: `/BBox` is required. Without it some readers draw all of a form, others nothing; the copy shows it all.
    isThere: (open, form) => !isFramed(open, form),
    settle: (_open, form) => form.set("BBox", new PdfArray([-FAR, -FAR, FAR, FAR].map((value) => PdfNumber.of(value)))),
  },
];

/** Counts the pages, links, fields and forms that readers show differently. */
export function readerDependent(open: OpenPdf): number {
  let count = 0;
  for (const { dict, doubts } of judged(open)) if (doubts.some(({ isThere }) => isThere(open, dict))) count += 1;
  return count;
}

/** Has every reader show them as a screen does. */
export function settleReaders(open: OpenPdf): void {
  for (const { dict, doubts } of judged(open)) for (const doubt of doubts) if (doubt.isThere(open, dict)) doubt.settle(open, dict);
}

/** Pages, and each annotation once, however many pages list it; then the forms that something leads to still. */
function* judged(open: OpenPdf): Generator<{ readonly dict: PdfDict; readonly doubts: readonly Doubt[] }> {
  const seen = new Set<PdfDict>();
  for (const page of pagesOf(open)) {
    yield { dict: page, doubts: ON_PAGES };
    for (const { dict } of annotationsOf(open, page)) {
      if (seen.has(dict)) continue;
      seen.add(dict);
      yield { dict, doubts: ON_ANNOTATIONS };
    }
  }
  for (const dict of eachDict(open)) if (nameAt(open, dict, "Subtype") === "Form") yield { dict, doubts: ON_FORMS };
}

/** Whatever a form without data is cut to, it shows nothing. */
function isFramed(open: OpenPdf, form: PdfDict): boolean {
  return !(form instanceof PdfStream) || form.data.length === 0 || hasFrame(open, form);
}

/** The streams of an annotation's looks, by state or not. Source: ISO 32000-2 §12.5.5, table 170. */
function looksOf(open: OpenPdf, annotation: PdfDict): readonly PdfDict[] {
  const appearances = dictAt(open, annotation, "AP");
  const looks = [...(appearances ?? [])].map(([, look]) => follow(open, look));
  return looks
    .flatMap((look) => (look instanceof PdfDict ? [look, ...[...look].map(([, state]) => follow(open, state))] : []))
    .filter(isStream);
}

const isStream = (value: PdfObject | undefined): value is PdfStream => value instanceof PdfStream;

/** The larger of both entries: readers take one or the other first. NaN for a width that is no number. */
function borderWidth(open: OpenPdf, link: PdfDict): number {
  const border = arrayAt(open, link, "Border");
  const style = dictAt(open, link, "BS");
  const widths = [border && border.length > 2 ? border.at(2) : undefined, style?.get("W")].map((value) => widthOf(follow(open, value)));
  return Math.max(...widths);
}

/** Source: ISO 32000-2 §12.5.4, table 168: 1 where it is not said. */
function widthOf(value: PdfObject | undefined): number {
  if (value === undefined) return 1;
  return value instanceof PdfNumber ? Math.abs(value.value) : Number.NaN;
}

function looksByState(open: OpenPdf, annotation: PdfDict): PdfDict | null {
  const appearances = dictAt(open, annotation, "AP");
  const normal = appearances && dictAt(open, appearances, "N");
  return normal === undefined || normal instanceof PdfStream ? null : normal;
}

/** A look, or what a reader makes one from: a value, a colour, a caption (§12.5.6.19, table 192). */
function showsSomething(open: OpenPdf, annotation: PdfDict): boolean {
  if (paints(open, annotation)) return true;
  const characteristics = dictAt(open, annotation, "MK");
  const isColoured = characteristics !== undefined && [...characteristics.keys()].some(({ value }) => value !== "R");
  return isColoured || (nameAt(open, annotation, "Subtype") === "Widget" && follow(open, inheritedAt(open, annotation, "V")) !== undefined);
}

function isPrintedOtherwise(open: OpenPdf, annotation: PdfDict): boolean {
  const flags = numberAt(open, annotation, "F") ?? 0;
  const isAlike = (flags & TOGGLE_NO_VIEW) === 0 && ((flags & NO_VIEW) === 0) === ((flags & PRINT) !== 0);
  return isVisible(open, annotation) && !isAlike;
}
