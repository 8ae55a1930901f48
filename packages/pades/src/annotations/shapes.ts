import { type PdfDict, PdfName } from "@libpdf/core";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeNumber } from "../pdf/write-object.ts";
import {
  listsOf,
  numbersOf,
  painting,
  type Point,
  pointsOf,
  polyline,
  settingOf,
  type Style,
  styleOf,
  written,
} from "./annotation-style.ts";
import { ellipse, endingContent, endingSize } from "./line-endings.ts";

export type Frame = readonly [left: number, bottom: number, right: number, top: number];

const NO_ENDING = "None";
/** A note's sign, as PDFium draws it. Units: points. */
const [NOTE, TIP] = [20, 4] as const;

/** Gives the rectangle of an annotation, its corners in order. */
export function frameOf(open: OpenPdf, annotation: PdfDict): Frame {
  const [a = 0, b = 0, c = 0, d = 0] = numbersOf(open, arrayAt(open, annotation, "Rect"));
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

/** The rectangle inside the differences that its annotation states, and inside its own border. Source: ISO 32000-2 §12.5.6.8, table 180 (RD). */
export function innerFrame(open: OpenPdf, annotation: PdfDict, { width }: Pick<Style, "width">): Frame {
  const [left, bottom, right, top] = frameOf(open, annotation);
  const [l = 0, b = 0, r = 0, t = 0] = numbersOf(open, arrayAt(open, annotation, "RD"));
  const half = width / 2;
  const inner: Frame = [left + l + half, bottom + b + half, right - r - half, top - t - half];
  return inner[0] < inner[2] && inner[1] < inner[3] ? inner : [left, bottom, right, top];
}

export function squareContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  return `${settingOf(style)}${boxPath(innerFrame(open, annotation, style))}${painting(style)} `;
}

export const boxPath = ([left, bottom, right, top]: Frame): string =>
  `${[left, bottom, right - left, top - bottom].map((value) => writeNumber(value, 3)).join(" ")} re `;

export function circleContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const [left, bottom, right, top] = innerFrame(open, annotation, style);
  const centre: Point = [(left + right) / 2, (bottom + top) / 2];
  return `${settingOf(style)}${ellipse([centre, (right - left) / 2, (top - bottom) / 2])} ${painting(style)} `;
}

/** Source: ISO 32000-2 §12.5.6.7, with its leader lines. */
export function lineContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const [start, end] = pointsOf(numbersOf(open, arrayAt(open, annotation, "L")));
  if (!start || !end) return "";
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
  const leader = numberAt(open, annotation, "LL") ?? 0;
  const [offset, extension] = ["LLO", "LLE"].map((key) => Math.sign(leader) * (numberAt(open, annotation, key) ?? 0)) as [number, number];
  const raised = ([x, y]: Point, by: number): Point => [x - ((end[1] - start[1]) / length) * by, y + ((end[0] - start[0]) / length) * by];
  const ends: readonly [Point, Point] = [raised(start, offset + leader), raised(end, offset + leader)];
  const leaders =
    leader === 0
      ? ""
      : [start, end].map((point) => `${polyline([raised(point, offset), raised(point, offset + leader + extension)])}S `).join("");
  const drawn = style.stroke === null ? "" : `${polyline(ends)}S ${leaders}`;
  return settingOf(style) + drawn + endingsContent(open, annotation, { path: ends, style });
}

/** What stands at both ends of a path of straight lines. */
function endingsContent(
  open: OpenPdf,
  annotation: PdfDict,
  { path, style }: { readonly path: readonly Point[]; readonly style: Style },
): string {
  const names = arrayAt(open, annotation, "LE")
    ?.toArray()
    .map((item) => follow(open, item));
  const [first = NO_ENDING, last = NO_ENDING] = (names ?? []).map((name) => (name instanceof PdfName ? name.value : NO_ENDING));
  const [start, second, beforeLast, end] = [path[0], path[1], path.at(-2), path.at(-1)];
  if (!start || !second || !beforeLast || !end) return "";
  return endingContent(first, { at: start, from: second }, style) + endingContent(last, { at: end, from: beforeLast }, style);
}

/** Source: ISO 32000-2 §12.5.6.9. */
export function polygonContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  const isClosed = nameAt(open, annotation, "Subtype") === "Polygon";
  const vertices = pointsOf(numbersOf(open, arrayAt(open, annotation, "Vertices")));
  const path = curves(open, annotation) || polyline(vertices);
  if (path === "") return "";
  if (isClosed) return `${settingOf(style)}${path}h ${painting(style)} `;
  return `${settingOf(style)}${path}${painting({ ...style, fill: null })} ${endingsContent(open, annotation, { path: vertices, style })}`;
}

/** Source: ISO 32000-2 §12.5.6.13. */
export function inkContent(open: OpenPdf, annotation: PdfDict): string {
  const style = styleOf(open, annotation);
  if (style.stroke === null) return "";
  const strokes = listsOf(open, arrayAt(open, annotation, "InkList")).map((numbers) => `${polyline(pointsOf(numbers))}S `);
  const path = curves(open, annotation);
  return `${settingOf(style)}1 J 1 j ${path === "" ? strokes.join("") : `${path}S `}`;
}

/** A path of lines and curves, as PDF 2.0 writes it. Source: ISO 32000-2 §12.5.6.9, table 181 (Path). */
function curves(open: OpenPdf, annotation: PdfDict): string {
  return listsOf(open, arrayAt(open, annotation, "Path"))
    .flatMap((numbers, index) => {
      if (numbers.length !== 2 && numbers.length !== 6) return [];
      return [`${written(pointsOf(numbers))} ${numbers.length === 6 ? "c" : index === 0 ? "m" : "l"} `];
    })
    .join("");
}

/** Source: ISO 32000-2 §12.5.6.11: a caret's sign fills its rectangle. */
export function caretContent(open: OpenPdf, annotation: PdfDict): string {
  const { stroke } = styleOf(open, annotation);
  if (stroke === null) return "";
  const [left, bottom, right, top] = innerFrame(open, annotation, { width: 0 });
  const middle = (left + right) / 2;
  const tip = written([
    [middle, bottom],
    [middle, (bottom + top) / 2],
    [middle, top],
  ]);
  const back = written([
    [middle, (bottom + top) / 2],
    [middle, bottom],
    [right, bottom],
  ]);
  return `${stroke.toLowerCase()} ${written([[left, bottom]])} m ${tip} c ${back} c h f `;
}

/** A note is a sign of one size at its lower left corner, whichever sign it asks for: readers each draw their own. */
export function noteFrame(open: OpenPdf, annotation: PdfDict): Frame {
  const [left, bottom] = frameOf(open, annotation);
  return [left, bottom, left + NOTE, bottom + NOTE];
}

export function noteContent(open: OpenPdf, annotation: PdfDict): string {
  const [left, bottom, right, top] = noteFrame(open, annotation);
  const [l, b, r, t] = [left + 0.5, bottom + 0.5 + TIP, right - 0.5, top - 0.5];
  const outline: Point[] = [
    [l, b],
    [l, t],
    [r, t],
    [r, b],
    [l + 2 * TIP, b],
    [l + 1.5 * TIP, b - TIP],
    [l + TIP, b],
    [l, b],
  ];
  const lines = [1, 2, 3].map((line): Point[] => [
    [l + 2, t - (line * (t - b)) / 4],
    [r - 2, t - (line * (t - b)) / 4],
  ]);
  return `1 1 0 rg 0 G 1 w ${polyline(outline)}${lines.map(polyline).join("")}B* `;
}

/** How far the lines of an annotation reach beyond its points. */
export function reachOf(open: OpenPdf, annotation: PdfDict): number {
  const style = styleOf(open, annotation);
  const leaders = ["LL", "LLO", "LLE"].reduce((sum, key) => sum + Math.abs(numberAt(open, annotation, key) ?? 0), 0);
  return Math.min(style.width * 5 + endingSize(style) + leaders, 14_400);
}

/** Gives every point that an annotation names. */
export function pointsNamed(open: OpenPdf, annotation: PdfDict): readonly Point[] {
  const flat = ["L", "Vertices", "QuadPoints", "CL"].flatMap((key) => numbersOf(open, arrayAt(open, annotation, key)));
  const nested = ["InkList", "Path"].flatMap((key) => listsOf(open, arrayAt(open, annotation, key)).flat());
  return [...pointsOf(flat), ...pointsOf(nested)];
}
