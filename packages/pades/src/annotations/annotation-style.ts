import { PdfArray, type PdfDict, PdfNumber } from "@libpdf/core";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeNumber } from "../pdf/write-object.ts";

export type Point = readonly [x: number, y: number];
/** How an annotation's lines and areas are painted. `stroke` and `fill` are operators, null for nothing. Units: points. */
export type Style = { readonly stroke: string | null; readonly fill: string | null; readonly width: number; readonly dash: string };

/** By how many components a colour has. Source: ISO 32000-2 §12.5.2, table 166 (C). */
const FILLS: Readonly<Record<number, string>> = { 1: "g", 3: "rg", 4: "k" };
const BLACK = "0 g";
/** Source: ISO 32000-2 §12.5.4, table 168. */
const DASHES: readonly number[] = [3];

/** Farther than any page reaches. Units: points. */
const FAR = 1e7;

/** Gives the numbers of an array, references followed, none farther than pages reach: those that are none are left out. */
export function numbersOf(open: OpenPdf, array: PdfArray | undefined): readonly number[] {
  return (array?.toArray() ?? []).flatMap((item) => {
    const value = follow(open, item);
    return value instanceof PdfNumber && !Number.isNaN(value.value) ? [Math.min(FAR, Math.max(-FAR, value.value))] : [];
  });
}

/** Gives the arrays of an array. */
export function listsOf(open: OpenPdf, array: PdfArray | undefined): readonly (readonly number[])[] {
  return (array?.toArray() ?? []).flatMap((item) => {
    const value = follow(open, item);
    return value instanceof PdfArray ? [numbersOf(open, value)] : [];
  });
}

/** Pairs numbers into points; an odd one at the end is left out. */
export function pointsOf(numbers: readonly number[]): readonly Point[] {
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, index) => [numbers[2 * index] ?? 0, numbers[2 * index + 1] ?? 0]);
}

/** Gives a colour as an operator that fills: `absent` where the annotation has none, null where it says that it is transparent. */
export function colourOf(
  open: OpenPdf,
  annotation: PdfDict,
  { key, absent }: { readonly key: "C" | "IC"; readonly absent: string | null },
) {
  const array = arrayAt(open, annotation, key);
  if (!array) return absent;
  const components = numbersOf(open, array).map((value) => writeNumber(Math.min(1, Math.max(0, value)), 3));
  const operator = FILLS[components.length];
  return operator === undefined ? null : `${components.join(" ")} ${operator}`;
}

/** The same colour, for lines. Source: ISO 32000-2 §8.6.8, table 73. */
export const forLines = (fill: string): string => fill.replace(/[a-z]+$/, (operator) => operator.toUpperCase());

/** Gives how an annotation is painted: black lines a point wide where it does not say. Source: ISO 32000-2 §12.5.4. */
export function styleOf(open: OpenPdf, annotation: PdfDict): Style {
  const width = borderWidth(open, annotation);
  const colour = colourOf(open, annotation, { key: "C", absent: BLACK });
  return {
    stroke: colour === null || width === 0 ? null : forLines(colour),
    fill: colourOf(open, annotation, { key: "IC", absent: null }),
    width,
    dash: dashOf(open, annotation),
  };
}

function borderWidth(open: OpenPdf, annotation: PdfDict): number {
  const style = dictAt(open, annotation, "BS");
  const said = (style && numberAt(open, style, "W")) ?? numbersOf(open, arrayAt(open, annotation, "Border"))[2] ?? 1;
  return Math.min(FAR, Math.abs(said));
}

function dashOf(open: OpenPdf, annotation: PdfDict): string {
  const style = dictAt(open, annotation, "BS");
  const border = follow(open, arrayAt(open, annotation, "Border")?.at(3));
  const inBorder = border instanceof PdfArray ? numbersOf(open, border) : [];
  if (style && nameAt(open, style, "S") !== "D") return "";
  const inStyle = style ? numbersOf(open, arrayAt(open, style, "D")) : inBorder;
  const lengths = style && inStyle.length === 0 ? DASHES : inStyle;
  if (lengths.every((length) => length <= 0)) return "";
  return `[${lengths.map((length) => writeNumber(Math.max(0, length), 3)).join(" ")}] 0 d `;
}

/** Gives what paints the path before it: its area, its lines, both or neither. */
export function painting({ stroke, fill }: Pick<Style, "stroke" | "fill">): "B" | "S" | "f" | "n" {
  if (stroke !== null) return fill === null ? "S" : "B";
  return fill === null ? "n" : "f";
}

/** Gives the operators that set a style. */
export function settingOf({ stroke, fill, width, dash }: Style): string {
  return `${stroke === null ? "" : `${stroke} `}${fill === null ? "" : `${fill} `}${writeNumber(width, 3)} w ${dash}`;
}

export const written = (points: readonly Point[]): string => points.map(([x, y]) => `${writeNumber(x, 3)} ${writeNumber(y, 3)}`).join(" ");

/** Gives a path of straight lines; one point is a line of no length, which round caps make a dot (ISO 32000-2 §8.5.3.2). */
export function polyline([first, ...rest]: readonly Point[]): string {
  if (!first) return "";
  return `${written([first])} m ${(rest.length > 0 ? rest : [first]).map((point) => `${written([point])} l`).join(" ")} `;
}

/** Source: ISO 32000-2 §12.5.6.2, table 172 (CA). */
export const opacityOf = (open: OpenPdf, annotation: PdfDict): number => Math.min(1, Math.max(0, numberAt(open, annotation, "CA") ?? 1));
