import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from "@libpdf/core";
import {
  drawAnnotation,
  hasLook,
  isShown,
  refuseUndrawable,
} from "../annotations/draw-annotations.ts";
import { PadesError } from "../pades-error.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { paints } from "../validate/signature-looks.ts";
import { openStates, pageContent } from "./flatten-layers.ts";

/** Annotations that stay; no page shows popups. */
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
const MAX_ANNOTATIONS = 200_000;

/** Some readers show these by their appearance alone. */
const BARE = new Set([undefined, "Link", "Popup"]);

/** An annotation may lie over text, shown or not. */
export function mayCover(open: OpenPdf, annotation: PdfDict): boolean {
  const subtype = nameAt(open, annotation, "Subtype");
  return BARE.has(subtype) ? paints(open, annotation) : !KEPT.has(subtype ?? "");
}

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
 * Pages may share a long list, and each looks at each item.
 * Errors: `pdf_too_complex`.
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

/** Notes, stamps and the like become part of their pages; hidden ones are dropped. */
export function flattenAnnotations(open: OpenPdf): void {
  const pages = pagesOf(open);
  const looks = createLooks(open, pages);
  for (const page of pages) flattenPage(open, page, looks);
  for (const dict of looks.asked()) dict.delete("AP");
}

export function pagesOf(open: OpenPdf): readonly PdfDict[] {
  return open.pdf.context.pages.getPages().flatMap((ref) => {
    const page = follow(open, ref);
    return page instanceof PdfDict ? [page] : [];
  });
}

export function annotationsOf(open: OpenPdf, page: PdfDict): { item: PdfObject; dict: PdfDict }[] {
  return (arrayAt(open, page, "Annots")?.toArray() ?? []).flatMap((item) => {
    const dict = follow(open, item);
    return dict instanceof PdfDict ? [{ item, dict }] : [];
  });
}

export function annotationsOfPages(open: OpenPdf): ReturnType<typeof annotationsOf> {
  return pagesOf(open).flatMap((page) => annotationsOf(open, page));
}

/** Errors: `pdf_undrawn_annotations`. */
export function refuseUndrawn(open: OpenPdf, fonts?: Pick<Fonts, "text">): void {
  refuseUndrawable(
    open,
    pagesOf(open).map((page) => annotationsOf(open, page).map(({ dict }) => dict)),
    fonts,
  );
}

/** An update can replace only numbered objects. */
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

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

type Look = { readonly form: PdfStream; readonly name: string; readonly operators: string };

export type Looks = {
  /** Null for an annotation that shows nothing. */
  of(annotation: PdfDict): Look | null;
  isAsked(annotation: PdfDict): boolean;
  asked(): Iterable<PdfDict>;
};

export function createLooks(open: OpenPdf, pages: readonly PdfDict[]): Looks {
  const known = new Map<PdfDict, Look | null>();
  const names = new Map<PdfStream, string>();
  const prefix = freePrefix(open, pages);
  return {
    of(annotation) {
      const found = known.get(annotation);
      if (found !== undefined) return found;
      const made = lookOf(open, annotation, { names, prefix });
      known.set(annotation, made);
      return made;
    },
    isAsked: (annotation) => known.has(annotation),
    asked: () => known.keys(),
  };
}

export function addLooks(open: OpenPdf, page: PdfDict, looks: readonly Look[]): void {
  const resources = copyOf(resourcesOf(open, page));
  const objects = copyOf(objectsOf(open, resources));
  for (const { form, name } of new Map(looks.map((look) => [look.name, look])).values()) {
    form.set("Type", PdfName.of("XObject"));
    form.set("Subtype", PdfName.of("Form"));
    objects.set(name, open.pdf.context.registry.getRef(form) ?? open.pdf.context.register(form));
  }
  resources.set("XObject", objects);
  page.set("Resources", resources);
}

/** An earlier copy of ours has such names. */
function freePrefix(open: OpenPdf, pages: readonly PdfDict[]): string {
  const painted = new Set(pages.map((page) => objectsOf(open, resourcesOf(open, page))));
  const taken = new Set(
    [...painted].flatMap((objects) =>
      objects ? [...objects.keys()].map(({ value }) => value.split("-")[0]) : [],
    ),
  );
  let round = 0;
  while (taken.has(`PsFlat${round}`)) round += 1;
  return `PsFlat${round}-`;
}

function resourcesOf(open: OpenPdf, page: PdfDict): PdfDict | undefined {
  const inherited = follow(open, inheritedAt(open, page, "Resources"));
  return inherited instanceof PdfDict ? inherited : undefined;
}

const objectsOf = (open: OpenPdf, resources: PdfDict | undefined): PdfDict | undefined =>
  resources && dictAt(open, resources, "XObject");

function copyOf(dict: PdfDict | undefined): PdfDict {
  return new PdfDict(
    dict ? [...dict].map(([key, value]) => [key.value, value] as [string, PdfObject]) : [],
  );
}

function lookOf(
  open: OpenPdf,
  annotation: PdfDict,
  { names, prefix }: { readonly names: Map<PdfStream, string>; readonly prefix: string },
): Look | null {
  const form = shownAppearance(open, annotation);
  if (!form) return null;
  const name = names.get(form) ?? `${prefix}${names.size}`;
  names.set(form, name);
  const matrix = placement(open, annotation, form).map((value) => writeNumber(value, 6));
  return { form, name, operators: `q ${matrix.join(" ")} cm /${name} Do Q\n` };
}

function shownAppearance(open: OpenPdf, annotation: PdfDict): PdfStream | null {
  if (!isShown(open, annotation)) return null;
  if (!hasLook(open, annotation)) drawAnnotation(open, annotation);
  const appearances = dictAt(open, annotation, "AP");
  const normal = appearances ? follow(open, appearances.get("N")) : undefined;
  if (normal instanceof PdfStream) return normal;
  const state =
    normal instanceof PdfDict
      ? follow(open, normal.get(nameAt(open, annotation, "AS") ?? ""))
      : undefined;
  return state instanceof PdfStream ? state : null;
}

/** Source: ISO 32000-2 §12.5.5, algorithm 8: BBox, transformed by Matrix, is fitted into Rect. */
function placement(open: OpenPdf, annotation: PdfDict, form: PdfStream): Matrix {
  const matrix = (numbersAt(open, form, { key: "Matrix", length: 6 }) as Matrix | null) ?? IDENTITY;
  const box = numbersAt(open, form, { key: "BBox", length: 4 }) ?? [0, 0, 0, 0];
  const rectangle = numbersAt(open, annotation, { key: "Rect", length: 4 }) ?? [0, 0, 0, 0];
  const [a, b, c, d, e, f] = matrix;
  const corners = [0, 2].flatMap((x) => [1, 3].map((y) => [box[x] ?? 0, box[y] ?? 0] as const));
  const xs = corners.map(([x, y]) => a * x + c * y + e);
  const ys = corners.map(([x, y]) => b * x + d * y + f);
  const [left, bottom, width, height] = [
    Math.min(...xs),
    Math.min(...ys),
    Math.max(...xs) - Math.min(...xs),
    Math.max(...ys) - Math.min(...ys),
  ];
  const [x0, y0] = [
    Math.min(rectangle[0] ?? 0, rectangle[2] ?? 0),
    Math.min(rectangle[1] ?? 0, rectangle[3] ?? 0),
  ];
  const scaleX = width > 0 ? Math.abs((rectangle[2] ?? 0) - (rectangle[0] ?? 0)) / width : 1;
  const scaleY = height > 0 ? Math.abs((rectangle[3] ?? 0) - (rectangle[1] ?? 0)) / height : 1;
  return [scaleX, 0, 0, scaleY, x0 - left * scaleX, y0 - bottom * scaleY];
}

function numbersAt(
  open: OpenPdf,
  dict: PdfDict,
  { key, length }: { readonly key: string; readonly length: number },
): readonly number[] | null {
  const values =
    arrayAt(open, dict, key)
      ?.toArray()
      .map((item) => follow(open, item)) ?? [];
  const numbers = values.map((value) => (value instanceof PdfNumber ? value.value : Number.NaN));
  return numbers.length === length && numbers.every(Number.isFinite) ? numbers : null;
}
