import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from "@libpdf/core";
import { latinBytes } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { pageContent } from "./flatten-layers.ts";
import { openStates } from "./hide-content.ts";

/** Annotations that stay what they are: links, fields, attachments, media, and the window of a note, which no page shows. */
const KEPT = new Set(["Link", "Widget", "FileAttachment", "Screen", "Movie", "Sound", "RichMedia", "3D"]);
/** Hidden and NoView. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Says whether this is an annotation that may lie over text, and could be shown or not. */
export function mayCover(open: OpenPdf, annotation: PdfDict): boolean {
  const subtype = nameAt(open, annotation, "Subtype");
  return subtype !== undefined && !KEPT.has(subtype) && subtype !== "Popup";
}

/** Counts the annotations that `flattenAnnotations` would take in. */
export function coveringAnnotations(open: OpenPdf): number {
  let count = 0;
  for (const ref of open.pdf.context.pages.getPages()) {
    const page = follow(open, ref);
    if (page instanceof PdfDict) count += annotationsOf(open, page).filter(({ dict }) => mayCover(open, dict)).length;
  }
  return count;
}

/** Makes notes, stamps and the like part of their pages, as they are displayed; those that are not displayed are left out. */
export function flattenAnnotations(open: OpenPdf): void {
  for (const ref of open.pdf.context.pages.getPages()) {
    const page = follow(open, ref);
    if (page instanceof PdfDict) flattenPage(open, page);
  }
}

function annotationsOf(open: OpenPdf, page: PdfDict): { item: PdfObject; dict: PdfDict }[] {
  return (arrayAt(open, page, "Annots")?.toArray() ?? []).flatMap((item) => {
    const dict = follow(open, item);
    return dict instanceof PdfDict ? [{ item, dict }] : [];
  });
}

function flattenPage(open: OpenPdf, page: PdfDict): void {
  const all = annotationsOf(open, page);
  const covering = all.filter(({ dict }) => mayCover(open, dict));
  if (covering.length === 0) return;
  const forms = covering.flatMap(({ dict }) => {
    const form = shownAppearance(open, dict);
    return form ? [{ form, matrix: placement(open, dict, form) }] : [];
  });
  page.set(
    "Annots",
    new PdfArray(all.filter(({ dict }) => !mayCover(open, dict) && nameAt(open, dict, "Subtype") !== "Popup").map(({ item }) => item)),
  );
  if (forms.length > 0) draw(open, page, forms);
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

function draw(open: OpenPdf, page: PdfDict, forms: readonly { form: PdfStream; matrix: Matrix }[]): void {
  const inherited = follow(open, inheritedAt(open, page, "Resources"));
  const resources = new PdfDict(
    inherited instanceof PdfDict ? [...inherited].map(([key, value]) => [key.value, value] as [string, PdfObject]) : [],
  );
  const known = dictAt(open, resources, "XObject");
  const objects = new PdfDict(known ? [...known].map(([key, value]) => [key.value, value] as [string, PdfObject]) : []);
  let drawn = "";
  for (const [index, { form, matrix }] of forms.entries()) {
    const name = `PsFlat${index}`;
    form.set("Type", PdfName.of("XObject"));
    form.set("Subtype", PdfName.of("Form"));
    objects.set(name, open.pdf.context.registry.getRef(form) ?? open.pdf.context.register(form));
    drawn += `q ${matrix.map((value) => writeNumber(value, 6)).join(" ")} cm /${name} Do Q\n`;
  }
  resources.set("XObject", objects);
  page.set("Resources", resources);
  const content = pageContent(open, page);
  const closing = "Q\n".repeat(openStates(content) + 1);
  page.set("Contents", open.pdf.context.register(new PdfStream([], latinBytes(`q\n${content}\n${closing}${drawn}`))));
}
