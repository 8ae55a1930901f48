import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { ownEntry } from "../pades-error.ts";
import { decodingBudget } from "../pdf/decoded-data.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { spend } from "../pdf/work-budget.ts";
import {
  caretContent,
  circleContent,
  colourOf,
  forLines,
  type Frame,
  frameOf,
  inkContent,
  lineContent,
  noteContent,
  noteFrame,
  numbersOf,
  opacityOf,
  type Point,
  pointsNamed,
  pointsOf,
  polygonContent,
  polyline,
  reachOf,
  squareContent,
  written,
} from "./shapes.ts";

/** The lower and upper edge of marked text, both in reading direction. */
type Quad = { readonly bottom: readonly [Point, Point]; readonly top: readonly [Point, Point] };

const YELLOW = "1 1 0 rg";
const BLACK = "0 g";
/** As other readers draw them. Units: points. */
const [LINE, WAVE] = [1, 2] as const;
/** More than any word needs. */
const MOST_WAVES = 5_000;

const along = ([a, b]: readonly [Point, Point], share: number): Point => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
];
const less = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
const cross = (a: Point, b: Point): number => a[0] * b[1] - a[1] * b[0];

/**
 * The corners of marked text.
 * Tolerance: Acrobat and its followers write both edges from left to right, the upper one first;
 * the standard says counterclockwise.
 * Source: ISO 32000-2 §12.5.6.10.
 */
function quadsOf(open: OpenPdf, annotation: PdfDict): readonly Quad[] {
  const numbers = numbersOf(open, arrayAt(open, annotation, "QuadPoints"));
  if (numbers.length < 8) return [boxOf(numbersOf(open, arrayAt(open, annotation, "Rect")))];
  return Array.from({ length: Math.floor(numbers.length / 8) }, (_, index) =>
    quadOf(pointsOf(numbers.slice(8 * index, 8 * index + 8))),
  );
}

function quadOf(corners: readonly Point[]): Quad {
  const [a, b, c, d] = corners as readonly [Point, Point, Point, Point];
  const [first, second] = [less(b, a), less(d, c)];
  const other: readonly [Point, Point] =
    first[0] * second[0] + first[1] * second[1] < 0 ? [d, c] : [c, d];
  const isFirstBelow = cross(first, less(other[0], a)) > 0;
  return isFirstBelow ? { bottom: [a, b], top: other } : { bottom: other, top: [a, b] };
}

function boxOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): Quad {
  const [left, right, bottom, top] = [
    Math.min(a, c),
    Math.max(a, c),
    Math.min(b, d),
    Math.max(b, d),
  ];
  return {
    bottom: [
      [left, bottom],
      [right, bottom],
    ],
    top: [
      [left, top],
      [right, top],
    ],
  };
}

function markupContent(
  open: OpenPdf,
  annotation: PdfDict,
  kind: "Highlight" | "Underline" | "Squiggly" | "StrikeOut",
): string {
  const colour = colourOf(open, annotation, {
    key: "C",
    absent: kind === "Highlight" ? YELLOW : BLACK,
  });
  if (colour === null) return "";
  const quads = quadsOf(open, annotation);
  if (kind === "Highlight")
    return `${colour} ${quads.map(({ bottom, top }) => `${polyline([...bottom, top[1], top[0]])}h f `).join("")}`;
  return `${forLines(colour)} ${LINE} w ${quads.map((quad) => lineOf(open, quad, kind)).join("")}`;
}

function lineOf(
  open: OpenPdf,
  { bottom, top }: Quad,
  kind: "Underline" | "Squiggly" | "StrikeOut",
): string {
  const height = Math.hypot(...less(top[0], bottom[0])) || 1;
  const raised = (by: number): readonly [Point, Point] => [
    along([bottom[0], top[0]], by / height),
    along([bottom[1], top[1]], by / height),
  ];
  if (kind === "StrikeOut") return `${polyline(raised(height / 2))}S `;
  if (kind === "Underline") return `${polyline(raised(LINE))}S `;
  const [low, high] = [bottom, raised(WAVE)];
  const waves = Math.min(
    MOST_WAVES,
    Math.max(1, Math.ceil(Math.hypot(...less(bottom[1], bottom[0])) / WAVE)),
  );
  spend(decodingBudget(open), waves);
  const points = Array.from({ length: waves }, (_, index) =>
    along(index % 2 === 0 ? low : high, (index + 1) / waves),
  );
  return `${written([high[0]])} m ${points.map((point) => `${written([point])} l`).join(" ")} S `;
}

type Draw = (open: OpenPdf, annotation: PdfDict) => string;

/** Hidden and NoView. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;

/** The kinds of annotation drawn from their entries, without text. Source: ISO 32000-2 §12.5.6. */
const DRAWN: Readonly<Record<string, Draw>> = {
  Line: lineContent,
  Square: squareContent,
  Circle: circleContent,
  Polygon: polygonContent,
  PolyLine: polygonContent,
  Ink: inkContent,
  Caret: caretContent,
  Text: noteContent,
  Highlight: (open, annotation) => markupContent(open, annotation, "Highlight"),
  Underline: (open, annotation) => markupContent(open, annotation, "Underline"),
  Squiggly: (open, annotation) => markupContent(open, annotation, "Squiggly"),
  StrikeOut: (open, annotation) => markupContent(open, annotation, "StrikeOut"),
};

/**
 * Gives an annotation without an appearance the one that its entries describe; kinds that need an
 * appearance or text stay as they are.
 */
export function drawAnnotation(open: OpenPdf, annotation: PdfDict): void {
  const kind = nameAt(open, annotation, "Subtype") ?? "";
  const content = ownEntry(DRAWN, kind)?.(open, annotation);
  if (content === undefined) return;
  spend(decodingBudget(open), content.length);
  setLook(open, annotation, {
    content,
    frame: kind === "Text" ? noteFrame(open, annotation) : paintedFrame(open, annotation),
  });
}

function setLook(
  open: OpenPdf,
  annotation: PdfDict,
  { content, frame }: { readonly content: string; readonly frame: Frame },
): void {
  const box = new PdfArray(frame.map((value) => PdfNumber.of(value)));
  const opacity = PdfNumber.of(opacityOf(open, annotation));
  const state = PdfDict.of({
    Type: PdfName.of("ExtGState"),
    CA: opacity,
    ca: opacity,
    BM: PdfName.of(nameAt(open, annotation, "Subtype") === "Highlight" ? "Multiply" : "Normal"),
  });
  const form = PdfStream.fromDict(
    {
      Type: PdfName.of("XObject"),
      Subtype: PdfName.of("Form"),
      BBox: box,
      Resources: PdfDict.of({ ExtGState: PdfDict.of({ PsG: state }) }),
    },
    latinBytes(`/PsG gs ${content}`),
  );
  annotation.set("Rect", new PdfArray(box.toArray()));
  annotation.set("AP", PdfDict.of({ N: open.pdf.context.register(form) }));
}

/** The annotation's rectangle, enlarged by its lines. */
export function paintedFrame(open: OpenPdf, annotation: PdfDict): Frame {
  const reach = reachOf(open, annotation);
  let [left, bottom, right, top] = frameOf(open, annotation);
  for (const [x, y] of pointsNamed(open, annotation)) {
    left = Math.min(left, x - reach);
    right = Math.max(right, x + reach);
    bottom = Math.min(bottom, y - reach);
    top = Math.max(top, y + reach);
  }
  return [left, bottom, right, top];
}

/** Whether an annotation is displayed. */
export function isShown(open: OpenPdf, annotation: PdfDict): boolean {
  return ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) === 0;
}

/** Whether an annotation has a normal appearance, even an empty one. */
export function hasLook(open: OpenPdf, annotation: PdfDict): boolean {
  const appearances = dictAt(open, annotation, "AP");
  return appearances !== undefined && dictAt(open, appearances, "N") !== undefined;
}
