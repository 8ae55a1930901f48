import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { refuseUndrawable } from "../annotations/lettered-annotations.ts";
import { PadesError } from "../pades-error.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { arrayAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { paints } from "../validate/signature-looks.ts";
import { pageContent } from "./flatten-layers.ts";
import { openStates } from "./hide-content.ts";
import { addLooks, createLooks, type Look, type Looks } from "./shown-looks.ts";

/** Annotations that stay: links, fields, attachments, media, and popups, which no page shows. */
const KEPT = new Set([
  "Link",
  "Widget",
  "FileAttachment",
  "Screen",
  "Movie",
  "Sound",
  "RichMedia",
  "3D",
]);
/** On all pages together. */
const MAX_ANNOTATIONS = 200_000;

/**
 * Annotations that some readers show by their appearance alone: without a subtype, links, popups.
 */
const BARE = new Set([undefined, "Link", "Popup"]);

/** Whether an annotation may lie over text, shown or not. */
export function mayCover(open: OpenPdf, annotation: PdfDict): boolean {
  const subtype = nameAt(open, annotation, "Subtype");
  return BARE.has(subtype) ? paints(open, annotation) : !KEPT.has(subtype ?? "");
}

/** Counts the annotations that `flattenAnnotations` takes in. */
export function coveringAnnotations(open: OpenPdf): number {
  const covers = new Map<PdfDict, boolean>();
  let count = 0;
  for (const page of pagesOf(open)) {
    for (const { dict } of annotationsOf(open, page)) {
      const known = covers.get(dict) ?? mayCover(open, dict);
      covers.set(dict, known);
      if (known) count += 1;
    }
  }
  return count;
}

/**
 * Refuses pages that list too many annotations together: pages may share a long list, and each page
 * looks at each item.
 * Errors: PadesError `pdf_too_complex`.
 */
export function requireBearableAnnotations(open: OpenPdf): void {
  let count = 0;
  for (const page of pagesOf(open)) {
    count += arrayAt(open, page, "Annots")?.length ?? 0;
    if (count > MAX_ANNOTATIONS)
      throw new PadesError(
        "pdf_too_complex",
        `Expected at most ${MAX_ANNOTATIONS} annotations on all pages`,
      );
  }
}

/** Makes notes, stamps and the like part of their pages as displayed; hidden ones are dropped. */
export function flattenAnnotations(open: OpenPdf): void {
  const pages = pagesOf(open);
  const looks = createLooks(open, pages);
  for (const page of pages) flattenPage(open, page, looks);
  for (const dict of looks.asked()) dict.delete("AP");
}

/** The page dictionaries. */
export function pagesOf(open: OpenPdf): readonly PdfDict[] {
  return open.pdf.context.pages.getPages().flatMap((ref) => {
    const page = follow(open, ref);
    return page instanceof PdfDict ? [page] : [];
  });
}

/** A page's annotations, as listed and as resolved. */
export function annotationsOf(open: OpenPdf, page: PdfDict): { item: PdfObject; dict: PdfDict }[] {
  return (arrayAt(open, page, "Annots")?.toArray() ?? []).flatMap((item) => {
    const dict = follow(open, item);
    return dict instanceof PdfDict ? [{ item, dict }] : [];
  });
}

/** The annotations of all pages. */
export function annotationsOfPages(open: OpenPdf): ReturnType<typeof annotationsOf> {
  return pagesOf(open).flatMap((page) => annotationsOf(open, page));
}

/** Refuses annotations that a copy would lose. Errors: PadesError `pdf_undrawn_annotations`. */
export function refuseUndrawn(open: OpenPdf, fonts?: Pick<Fonts, "text">): void {
  refuseUndrawable(
    open,
    pagesOf(open).map((page) => annotationsOf(open, page).map(({ dict }) => dict)),
    fonts,
  );
}

/** Gives direct annotations an object number: an update can replace only numbered objects. */
export function nameAnnotations(open: OpenPdf, isNamed: (annotation: PdfDict) => boolean): void {
  for (const page of pagesOf(open)) {
    const listed = annotationsOf(open, page);
    if (!listed.some(({ item, dict }) => !(item instanceof PdfRef) && isNamed(dict))) continue;
    const named = listed.map(({ item, dict }) =>
      item instanceof PdfRef ? item : open.pdf.context.register(dict),
    );
    page.set("Annots", new PdfArray(named));
  }
}

function flattenPage(open: OpenPdf, page: PdfDict, looks: Looks): void {
  const kept: PdfObject[] = [];
  const drawn: Look[] = [];
  let isChanged = false;
  for (const { item, dict } of annotationsOf(open, page)) {
    if (!looks.isAsked(dict) && !mayCover(open, dict)) {
      if (nameAt(open, dict, "Subtype") !== "Popup") kept.push(item);
      continue;
    }
    const look = looks.of(dict);
    if (look) drawn.push(look);
    isChanged = true;
    // A link keeps its target, without an appearance.
    if (nameAt(open, dict, "Subtype") === "Link") kept.push(item);
  }
  if (!isChanged) return;
  page.set("Annots", new PdfArray(kept));
  if (drawn.length > 0) draw(open, page, drawn);
}

function draw(open: OpenPdf, page: PdfDict, looks: readonly Look[]): void {
  addLooks(open, page, looks);
  const content = pageContent(open, page);
  const closing = "Q\n".repeat(openStates(content) + 1);
  const drawn = looks.map(({ operators }) => operators).join("");
  page.set(
    "Contents",
    open.pdf.context.register(new PdfStream([], latinBytes(`q\n${content}\n${closing}${drawn}`))),
  );
}
