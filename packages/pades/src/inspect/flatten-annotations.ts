import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { paints } from "../validate/signature-looks.ts";
import { pageContent } from "./flatten-layers.ts";
import { openStates } from "./hide-content.ts";

/** Annotations that stay what they are: links, fields, attachments, media, and the window of a note, which no page shows. */
const KEPT = new Set(["Link", "Widget", "FileAttachment", "Screen", "Movie", "Sound", "RichMedia", "3D"]);
/** On all pages together: a hundred on each of two thousand. */
const MAX_ANNOTATIONS = 200_000;
/** Hidden and NoView. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Annotations that show nothing but, in some readers, a look of their own: one without a kind, a link, the window of a note. */
const BARE = new Set([undefined, "Link", "Popup"]);

/** Says whether this is an annotation that may lie over text, and could be shown or not. */
export function mayCover(open: OpenPdf, annotation: PdfDict): boolean {
  const subtype = nameAt(open, annotation, "Subtype");
  return BARE.has(subtype) ? paints(open, annotation) : !KEPT.has(subtype ?? "");
}

/** Counts the annotations that `flattenAnnotations` would take in. */
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
 * Refuses pages that list more annotations together than any honest file has: pages may share one long list, and each is looked at on
 * each of them.
 * Errors: PadesError `pdf_too_complex`.
 */
export function requireBearableAnnotations(open: OpenPdf): void {
  let count = 0;
  for (const page of pagesOf(open)) {
    count += arrayAt(open, page, "Annots")?.length ?? 0;
    if (count > MAX_ANNOTATIONS) throw new PadesError("pdf_too_complex", `Expected at most ${MAX_ANNOTATIONS} annotations on all pages`);
  }
}

/** What is drawn for an annotation, made once however many pages show it; null when it shows nothing. */
type Drawings = { readonly known: Map<PdfDict, Drawing | null>; readonly names: Map<PdfStream, string>; readonly prefix: string };
type Drawing = { readonly form: PdfStream; readonly name: string; readonly operators: string };

/** Makes notes, stamps and the like part of their pages, as they are displayed; those that are not displayed are left out. */
export function flattenAnnotations(open: OpenPdf): void {
  const pages = pagesOf(open);
  const drawings: Drawings = { known: new Map(), names: new Map(), prefix: freePrefix(open, pages) };
  for (const page of pages) flattenPage(open, page, drawings);
  for (const dict of drawings.known.keys()) dict.delete("AP");
}

/** A beginning of names that no page paints by yet: a copy that was made here before has some of these names. */
function freePrefix(open: OpenPdf, pages: readonly PdfDict[]): string {
  const painted = new Set(pages.map((page) => objectsOf(open, resourcesOf(open, page))));
  const taken = new Set([...painted].flatMap((objects) => (objects ? [...objects.keys()].map(({ value }) => value.split("-")[0]) : [])));
  let round = 0;
  while (taken.has(`PsFlat${round}`)) round += 1;
  return `PsFlat${round}-`;
}

function resourcesOf(open: OpenPdf, page: PdfDict): PdfDict | undefined {
  const inherited = follow(open, inheritedAt(open, page, "Resources"));
  return inherited instanceof PdfDict ? inherited : undefined;
}

const objectsOf = (open: OpenPdf, resources: PdfDict | undefined): PdfDict | undefined => resources && dictAt(open, resources, "XObject");

/** Gives the page dictionaries. */
export function pagesOf(open: OpenPdf): readonly PdfDict[] {
  return open.pdf.context.pages.getPages().flatMap((ref) => {
    const page = follow(open, ref);
    return page instanceof PdfDict ? [page] : [];
  });
}

/** Gives a page's annotations, as they are listed and followed. */
export function annotationsOf(open: OpenPdf, page: PdfDict): { item: PdfObject; dict: PdfDict }[] {
  return (arrayAt(open, page, "Annots")?.toArray() ?? []).flatMap((item) => {
    const dict = follow(open, item);
    return dict instanceof PdfDict ? [{ item, dict }] : [];
  });
}

function flattenPage(open: OpenPdf, page: PdfDict, drawings: Drawings): void {
  const kept: PdfObject[] = [];
  const drawn: Drawing[] = [];
  let isChanged = false;
  for (const { item, dict } of annotationsOf(open, page)) {
    const known = drawings.known.get(dict);
    if (known === undefined && !mayCover(open, dict)) {
      if (nameAt(open, dict, "Subtype") !== "Popup") kept.push(item);
      continue;
    }
    const drawing = known === undefined ? drawingOf(open, dict, drawings) : known;
    drawings.known.set(dict, drawing);
    if (drawing) drawn.push(drawing);
    isChanged = true;
    // A link still leads where it did, without a look.
    if (nameAt(open, dict, "Subtype") === "Link") kept.push(item);
  }
  if (!isChanged) return;
  page.set("Annots", new PdfArray(kept));
  if (drawn.length > 0) draw(open, page, drawn);
}

function drawingOf(open: OpenPdf, annotation: PdfDict, { names, prefix }: Drawings): Drawing | null {
  const form = shownAppearance(open, annotation);
  if (!form) return null;
  const name = names.get(form) ?? `${prefix}${names.size}`;
  names.set(form, name);
  const matrix = placement(open, annotation, form).map((value) => writeNumber(value, 6));
  return { form, name, operators: `q ${matrix.join(" ")} cm /${name} Do Q\n` };
}

function shownAppearance(open: OpenPdf, annotation: PdfDict): PdfStream | null {
  if ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) return null;
  const appearances = dictAt(open, annotation, "AP");
  const normal = appearances ? follow(open, appearances.get("N")) : undefined;
  if (normal instanceof PdfStream) return normal;
  const state = normal instanceof PdfDict ? follow(open, normal.get(nameAt(open, annotation, "AS") ?? "")) : undefined;
  return state instanceof PdfStream ? state : null;
}

/** Source: ISO 32000-2 §12.5.5, algorithm 8: the form's box, turned by its matrix, is fitted into the annotation's rectangle. */
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
  const [x0, y0] = [Math.min(rectangle[0] ?? 0, rectangle[2] ?? 0), Math.min(rectangle[1] ?? 0, rectangle[3] ?? 0)];
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

function copyOf(dict: PdfDict | undefined): PdfDict {
  return new PdfDict(dict ? [...dict].map(([key, value]) => [key.value, value] as [string, PdfObject]) : []);
}

function draw(open: OpenPdf, page: PdfDict, drawings: readonly Drawing[]): void {
  const resources = copyOf(resourcesOf(open, page));
  const objects = copyOf(objectsOf(open, resources));
  for (const { form, name } of new Map(drawings.map((drawing) => [drawing.name, drawing])).values()) {
    form.set("Type", PdfName.of("XObject"));
    form.set("Subtype", PdfName.of("Form"));
    objects.set(name, open.pdf.context.registry.getRef(form) ?? open.pdf.context.register(form));
  }
  resources.set("XObject", objects);
  page.set("Resources", resources);
  const content = pageContent(open, page);
  const closing = "Q\n".repeat(openStates(content) + 1);
  const drawn = drawings.map(({ operators }) => operators).join("");
  page.set("Contents", open.pdf.context.register(new PdfStream([], latinBytes(`q\n${content}\n${closing}${drawn}`))));
}
