import type { PdfRef } from "@libpdf/core";
import { PdfDict, PdfNumber, type PdfObject } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { follow, numberAt, type OpenPdf } from "./open-pdf.ts";
import type { PageGeometry, PagePlace } from "./types.ts";

export type Rotation = PageGeometry["rotation"];
/** Units: default user space, `[left, bottom, right, top]`. */
export type Box = readonly [number, number, number, number];

export type Page = {
  readonly ref: PdfRef;
  readonly dict: PdfDict;
  readonly box: Box;
  readonly rotation: Rotation;
  readonly userUnit: number;
};

/** pdf.js and poppler display a page without a box, or with an empty one, as US Letter. */
const DEFAULT_BOX: Box = [0, 0, 612, 792];
/** Readers display nothing beyond this side. */
const LARGEST_SIDE = 1_000_000;

/** `pageNumber` from 1. Errors: `field_not_found`, `pdf_damaged`. */
export function pageAt(open: OpenPdf, pageNumber: number): Page {
  const ref = open.pdf.context.pages.getPage(pageNumber - 1);
  if (!ref)
    throw new PadesError(
      "field_not_found",
      `Expected a page from 1 to ${open.pdf.context.pages.getPageCount()}, met ${pageNumber}`,
    );
  return readPage(open, ref);
}

/** Inherited entries too. Source: ISO 32000-2 §7.7.3.4, §14.11.2. */
export function readPage(open: OpenPdf, ref: PdfRef): Page {
  const dict = follow(open, ref);
  if (!(dict instanceof PdfDict))
    throw new PadesError("pdf_damaged", "Expected a page dictionary", {
      clause: "ISO 32000-2 §7.7.3.3",
    });
  const media = boxOf(open, inheritedAt(open, dict, "MediaBox")) ?? DEFAULT_BOX;
  const crop = boxOf(open, inheritedAt(open, dict, "CropBox"));
  const rotate = follow(open, inheritedAt(open, dict, "Rotate"));
  // Readers ignore other rotations (§7.7.3.3).
  const turns = rotate instanceof PdfNumber && rotate.value % 90 === 0 ? rotate.value / 90 : 0;
  const unit = numberAt(open, dict, "UserUnit") ?? 1;
  return {
    ref,
    dict,
    box: crop ? intersect(media, crop) : media,
    rotation: ((((turns % 4) + 4) % 4) * 90) as Rotation,
    userUnit: Number.isFinite(unit) && unit > 0 ? unit : 1,
  };
}

export function displayedGeometry({ box, rotation, userUnit }: Page): PageGeometry {
  const [width, height] = [(box[2] - box[0]) * userUnit, (box[3] - box[1]) * userUnit];
  return rotation === 90 || rotation === 270
    ? { width: height, height: width, rotation }
    : { width, height, rotation };
}

/**
 * The user space rectangle of a place in fractions of the displayed page.
 * Shape: rounded to a thousandth, as written, so that the BBox stays the same.
 */
export function rectangleOn(page: Page, place: PagePlace): Box {
  const first = pointOn(page, place.x, place.y);
  const second = pointOn(page, place.x + place.width, place.y + place.height);
  const box = [
    Math.min(first[0], second[0]),
    Math.min(first[1], second[1]),
    Math.max(first[0], second[0]),
    Math.max(first[1], second[1]),
  ];
  return box.map((value) => Math.round(value * 1_000) / 1_000) as unknown as Box;
}

function pointOn({ box, rotation }: Page, across: number, down: number): readonly [number, number] {
  const [left, bottom, right, top] = box;
  const [width, height] = [right - left, top - bottom];
  if (rotation === 90) return [left + down * width, bottom + across * height];
  if (rotation === 180) return [right - across * width, bottom + down * height];
  if (rotation === 270) return [right - down * width, top - across * height];
  return [left + across * width, top - down * height];
}

export function placeOf({ box, rotation }: Page, rectangle: Box): PagePlace {
  const [left, bottom, right, top] = box;
  const [width, height] = [right - left, top - bottom];
  const [x1, x2] = [(rectangle[0] - left) / width, (rectangle[2] - left) / width];
  const [y1, y2] = [(top - rectangle[3]) / height, (top - rectangle[1]) / height];
  if (rotation === 90) return { x: 1 - y2, y: x1, width: y2 - y1, height: x2 - x1 };
  if (rotation === 180) return { x: 1 - x2, y: 1 - y2, width: x2 - x1, height: y2 - y1 };
  if (rotation === 270) return { x: y1, y: 1 - x2, width: y2 - y1, height: x2 - x1 };
  return { x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
}

export function inheritedAt(open: OpenPdf, page: PdfDict, key: string): PdfObject | undefined {
  let node: PdfDict | undefined = page;
  for (let depth = 0; node && depth < 64; depth += 1) {
    const value = node.get(key);
    if (follow(open, value) !== undefined) return value;
    const parent = follow(open, node.get("Parent"));
    node = parent instanceof PdfDict ? parent : undefined;
  }
  return undefined;
}

function boxOf(open: OpenPdf, value: PdfObject | undefined): Box | null {
  const array = follow(open, value);
  if (array?.type !== "array" || array.length < 4) return null;
  const numbers = [0, 1, 2, 3].map((index) => follow(open, array.at(index)));
  const [a, b, c, d] = numbers.map((item) =>
    item instanceof PdfNumber ? item.value : Number.NaN,
  ) as [number, number, number, number];
  const box: Box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  if (!box.every((side) => Math.abs(side) <= LARGEST_SIDE))
    throw new PadesError("pdf_damaged", "Expected page boxes of a finite, sensible size", {
      clause: "ISO 32000-2 §7.9.5",
    });
  return box[2] - box[0] > 0 && box[3] - box[1] > 0 ? box : null;
}

function intersect(media: Box, crop: Box): Box {
  const box: Box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ];
  return box[2] > box[0] && box[3] > box[1] ? box : media;
}
