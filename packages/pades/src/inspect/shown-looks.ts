import { PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from "@libpdf/core";
import { drawAnnotation, hasLook, isShown } from "../annotations/draw-annotations.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { writeNumber } from "../pdf/write-object.ts";

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * What an annotation shows: its form, the form's resource name, and the operators that paint it.
 */
export type Look = { readonly form: PdfStream; readonly name: string; readonly operators: string };

/** The appearances of a file's annotations, each made once. */
export type Looks = {
  /** Null for an annotation that shows nothing. */
  of(annotation: PdfDict): Look | null;
  isAsked(annotation: PdfDict): boolean;
  asked(): Iterable<PdfDict>;
};

/** The appearances of annotations on these pages, as displayed. */
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

/** Adds these forms to a page's resources. */
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

/** A prefix that no page uses: an earlier copy of ours has such names. */
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

/**
 * Source: ISO 32000-2 §12.5.5, algorithm 8: the form's BBox, transformed by its Matrix, is fitted
 * into Rect.
 */
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
