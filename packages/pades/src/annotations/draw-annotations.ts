import {
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from "@libpdf/core";
import { textContent } from "../appearance/content.ts";
import { type TextFonts, missingCharacter } from "../font/text-fonts.ts";
import { type NamedAnnotation, PadesError, ownEntry } from "../pades-error.ts";
import { decodingBudget } from "../pdf/deflate.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  textAt,
} from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { spend } from "../pdf/byte-reader.ts";
import { writeNumber } from "../pdf/write-object.ts";
import {
  type Frame,
  type Point,
  boxPath,
  caretContent,
  circleContent,
  colourOf,
  endingContent,
  forLines,
  frameOf,
  inkContent,
  innerFrame,
  lineContent,
  noteContent,
  noteFrame,
  numbersOf,
  opacityOf,
  painting,
  pointsNamed,
  pointsOf,
  polygonContent,
  polyline,
  reachOf,
  settingOf,
  squareContent,
  styleOf,
  written,
} from "./shapes.ts";

/** Both edges, in reading direction. */
type Quad = { readonly bottom: readonly [Point, Point]; readonly top: readonly [Point, Point] };

const YELLOW = "1 1 0 rg";
const BLACK = "0 g";
/** Other readers draw so. Units: points. */
const [LINE, WAVE] = [1, 2] as const;
const MOST_WAVES = 5_000;

const along = ([a, b]: readonly [Point, Point], share: number): Point => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
];
const less = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
const cross = (a: Point, b: Point): number => a[0] * b[1] - a[1] * b[0];

/**
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

/** Drawn without text. Source: ISO 32000-2 §12.5.6. */
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

/** Draws what the entries describe; kinds that need an appearance or text stay. */
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

function paintedFrame(open: OpenPdf, annotation: PdfDict): Frame {
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

export function isShown(open: OpenPdf, annotation: PdfDict): boolean {
  return ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) === 0;
}

/** Even an empty appearance counts. */
export function hasLook(open: OpenPdf, annotation: PdfDict): boolean {
  const appearances = dictAt(open, annotation, "AP");
  return appearances !== undefined && dictAt(open, appearances, "N") !== undefined;
}

type Listed = { readonly item: PdfObject; readonly dict: PdfDict };
/** Text without an appearance. `frame`: on the page, in points. */
export type Lettered = {
  readonly ref: PdfRef;
  readonly dict: PdfDict;
  readonly text: string;
  readonly frame: Frame;
};

/** Source: ISO 32000-2 §12.5.6.12, table 184. */
const DRAFT = "Draft";
const STAMP_RED = "0.75 0 0 rg";
const [FREE_TEXT_SIZE, STAMP_SIZE, MARGIN] = [12, 200, 2] as const;
/** The lookbehind keeps a string of digits linear. */
const COLOUR = /(?<![\d.])((?:[\d.]+\s+){1,4}(?:rg|g|k))\b/;
const SIZE = /(?<![\d.])([\d.]+)\s+Tf\b/;
const LONGEST_TEXT = 4_000;
const MOST_NAMED = 10;

/** Whether readers draw text for an annotation that has no appearance. */
export function lacksLetters(open: OpenPdf, annotation: PdfDict): boolean {
  const kind = nameAt(open, annotation, "Subtype");
  return (
    (kind === "FreeText" || kind === "Stamp") &&
    isShown(open, annotation) &&
    !hasLook(open, annotation)
  );
}

export function letteredAnnotations(open: OpenPdf, listed: Iterable<Listed>): readonly Lettered[] {
  const found = new Map<PdfDict, Lettered>();
  for (const { item, dict } of listed)
    if (item instanceof PdfRef && lacksLetters(open, dict))
      found.set(dict, {
        ref: item,
        dict,
        text: wordsOf(open, dict),
        frame: paintedFrame(open, dict),
      });
  return [...found.values()];
}

/**
 * Refuses annotations that readers show and a copy cannot.
 * Shape: `pages`: the annotations of each page, in order.
 * Errors: `pdf_undrawn_annotations`, with the first of them.
 */
export function refuseUndrawable(
  open: OpenPdf,
  pages: readonly (readonly PdfDict[])[],
  fonts?: Pick<Fonts, "text">,
): void {
  const named: NamedAnnotation[] = [];
  for (const [index, annotations] of pages.entries()) {
    for (const annotation of annotations) {
      if (named.length === MOST_NAMED) break;
      if (!isUndrawable(open, annotation, fonts)) continue;
      named.push({ kind: nameAt(open, annotation, "Subtype") ?? "", pageNumber: index + 1 });
    }
  }
  if (named.length === 0) return;
  throw new PadesError(
    "pdf_undrawn_annotations",
    "Expected a look of annotations that cannot be drawn",
    {
      annotations: named,
      clause: "ISO 32000-2 §12.5.5",
    },
  );
}

function isUndrawable(
  open: OpenPdf,
  annotation: PdfDict,
  fonts: Pick<Fonts, "text"> | undefined,
): boolean {
  const kind = nameAt(open, annotation, "Subtype");
  if (hasLook(open, annotation) || !isShown(open, annotation)) return false;
  if (kind === "Redact") return true;
  if (kind === "Line") return isCaptioned(open, annotation);
  if (!lacksLetters(open, annotation)) return false;
  const text = wordsOf(open, annotation);
  return (
    text.length > LONGEST_TEXT ||
    (fonts !== undefined && missingCharacter(text, fonts.text) !== null)
  );
}

/** `/Contents` stands along the line. Source: ISO 32000-2 §12.5.6.7, table 178. */
function isCaptioned(open: OpenPdf, line: PdfDict): boolean {
  const caption = follow(open, line.get("Cap"));
  return (
    caption instanceof PdfBool && caption.value && (textAt(open, line, "Contents") ?? "") !== ""
  );
}

function wordsOf(open: OpenPdf, annotation: PdfDict): string {
  if (nameAt(open, annotation, "Subtype") === "FreeText")
    return textAt(open, annotation, "Contents") ?? "";
  const name = nameAt(open, annotation, "Name") ?? DRAFT;
  return name
    .replace(/^#/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}

export function letteredContent(open: OpenPdf, { dict, text }: Lettered, fonts: TextFonts): string {
  const content = nameAt(open, dict, "Subtype") === "Stamp" ? stampContent : freeTextContent;
  return `/PsG gs ${content(open, { dict, text }, fonts)}`;
}

function stampContent(
  open: OpenPdf,
  { dict, text }: Pick<Lettered, "dict" | "text">,
  fonts: TextFonts,
): string {
  const color = colourOf(open, dict, { key: "C", absent: STAMP_RED }) ?? STAMP_RED;
  const frame = innerFrame(open, dict, { width: 2 });
  return `${forLines(color)} 2 w ${boxPath(frame)}S ${printed(frame, { text, fonts, color, size: STAMP_SIZE, align: 0.5, lines: "one" })}`;
}

/** Source: ISO 32000-2 §12.5.6.6, §12.7.4.3. */
function freeTextContent(
  open: OpenPdf,
  { dict, text }: Pick<Lettered, "dict" | "text">,
  fonts: TextFonts,
): string {
  const written = textAt(open, dict, "DA") ?? "";
  const color = COLOUR.exec(written)?.[1] ?? BLACK;
  const said = Number(SIZE.exec(written)?.[1]);
  const isBordered = dict.has("BS") || dict.has("Border");
  const style = styleOf(open, dict);
  const box = {
    ...style,
    fill: colourOf(open, dict, { key: "C", absent: null }),
    stroke: isBordered && style.width > 0 ? forLines(color) : null,
  };
  const frame = innerFrame(open, dict, { width: box.stroke === null ? 0 : style.width });
  const callout = pointsOf(numbersOf(open, arrayAt(open, dict, "CL")));
  const [at, from] = callout;
  const ending =
    at && from
      ? endingContent(
          nameAt(open, dict, "LE") ?? "",
          { at, from },
          { ...box, stroke: forLines(color) },
        )
      : "";
  const line = callout.length > 1 ? `${forLines(color)} ${polyline(callout)}S ${ending}` : "";
  const align = [0, 0.5, 1][numberAt(open, dict, "Q") ?? 0] ?? 0;
  const size = said > 0 ? Math.min(said, STAMP_SIZE) : FREE_TEXT_SIZE;
  return `${settingOf(box)}${line}${boxPath(frame)}${painting(box)} ${printed(frame, { text, fonts, color, size, align, lines: "many" })}`;
}

type Printed = {
  readonly text: string;
  readonly fonts: TextFonts;
  readonly color: string;
  readonly size: number;
  readonly align: number;
  readonly lines: "one" | "many";
};

function printed(
  [left, bottom, right, top]: Frame,
  { text, fonts, color, size, align, lines }: Printed,
): string {
  const area = {
    x: left + MARGIN,
    y: bottom + MARGIN,
    width: right - left - 2 * MARGIN,
    height: top - bottom - 2 * MARGIN,
  };
  if (text.trim() === "" || area.width <= 0 || area.height <= 0) return "";
  const [breaking, vertical] =
    lines === "many" ? (["wrap", "top"] as const) : (["keep", "middle"] as const);
  return textContent({ area, lines: [text], fonts, size, breaking, vertical, color, align });
}

/** Source: ISO 32000-2 §8.10.2. */
export function letteredEntries(
  open: OpenPdf,
  { dict, frame }: Lettered,
  fonts: TextFonts,
): string {
  const opacity = writeNumber(opacityOf(open, dict), 3);
  const state = `/ExtGState<</PsG<</Type/ExtGState/CA ${opacity}/ca ${opacity}>>>>`;
  return `/Type/XObject/Subtype/Form/BBox[${frame.map((value) => writeNumber(value, 3)).join(" ")}]/Resources<<${state}/Font<<${fonts.resources}>>>>`;
}
