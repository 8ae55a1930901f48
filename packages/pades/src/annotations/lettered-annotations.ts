import { PdfBool, type PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { textContent } from "../appearance/text-block.ts";
import { missingCharacter, type TextFonts } from "../font/text-fonts.ts";
import { type NamedAnnotation, PadesError } from "../pades-error.ts";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf, textAt } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { hasLook, isShown, paintedFrame } from "./draw-annotations.ts";
import {
  boxPath,
  colourOf,
  endingContent,
  forLines,
  type Frame,
  innerFrame,
  numbersOf,
  opacityOf,
  painting,
  pointsOf,
  polyline,
  settingOf,
  styleOf,
} from "./shapes.ts";

type Listed = { readonly item: PdfObject; readonly dict: PdfDict };
/** An annotation with text and without an appearance. `frame`: its area of the page, in points. */
export type Lettered = {
  readonly ref: PdfRef;
  readonly dict: PdfDict;
  readonly text: string;
  readonly frame: Frame;
};

/** The default `/Name` of a stamp. Source: ISO 32000-2 §12.5.6.12, table 184. */
const DRAFT = "Draft";
const STAMP_RED = "0.75 0 0 rg";
const BLACK = "0 g";
const [FREE_TEXT_SIZE, STAMP_SIZE, MARGIN] = [12, 200, 2] as const;
/** The lookbehind keeps a string of digits linear: a number starts at its first digit. */
const COLOUR = /(?<![\d.])((?:[\d.]+\s+){1,4}(?:rg|g|k))\b/;
const SIZE = /(?<![\d.])([\d.]+)\s+Tf\b/;
/** In characters. */
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

/** The annotations to draw with text, each once. */
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
 * Refuses annotations that readers show and a copy cannot: unapplied redactions, captioned lines,
 * text that no font of `fonts` covers.
 * Shape: `pages`: the annotations of each page, in order.
 * Errors: PadesError `pdf_undrawn_annotations`, with the first of them.
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

/** Content that draws such an annotation, in its page's coordinates. */
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

/** Source: ISO 32000-2 §12.5.6.6, §12.7.4.3 (the default appearance string). */
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

/** The entries of the form that shows it. Source: ISO 32000-2 §8.10.2. */
export function letteredEntries(
  open: OpenPdf,
  { dict, frame }: Lettered,
  fonts: TextFonts,
): string {
  const opacity = writeNumber(opacityOf(open, dict), 3);
  const state = `/ExtGState<</PsG<</Type/ExtGState/CA ${opacity}/ca ${opacity}>>>>`;
  return `/Type/XObject/Subtype/Form/BBox[${frame.map((value) => writeNumber(value, 3)).join(" ")}]/Resources<<${state}/Font<<${fonts.resources}>>>>`;
}
