import type PDFDocument from "pdfkit";
import type { StructureContent } from "pdfkit";
import type { TextStyle, Typesetter } from "./create-typesetter.ts";

/** A4. Units: points, from the top left corner. Source: ISO 216. */
export const PAGE = { width: 595.28, height: 841.89, left: 56, top: 60, bottom: 776 } as const;
export const WIDTH = PAGE.width - 2 * PAGE.left;
export const COLOURS = {
  ink: "#151b2e",
  soft: "#434c66",
  accent: "#2a3f9d",
  line: "#b9c4ec",
  band: "#e8ecfa",
  good: "#12613a",
  caution: "#755000",
  bad: "#ab1d2c",
} as const;
const LEADING = 1.4;
/** The baseline stands so far under the top of its line, in parts of the size. */
const ASCENT = 1.02;

/** An element of the logical structure: what it shows on each page, or the elements under it. Source: ISO 32000-2 §14.8.4. */
export type Tag = {
  readonly type: string;
  readonly scope?: "Row" | "Column";
  readonly children: readonly (Tag | StructureContent)[];
};

/** The page that is being filled, from the top down. */
export type Sheet = { readonly doc: PDFDocument; readonly type: Typesetter; y: number };

export const lineHeight = ({ size }: Pick<TextStyle, "size">): number => size * LEADING;

export function turnPage(sheet: Sheet): void {
  sheet.doc.addPage();
  sheet.y = PAGE.top;
}

/** Begins a new page when what comes next has not this much room. */
export function keepTogether(sheet: Sheet, height: number): void {
  if (sheet.y + height > PAGE.bottom && sheet.y > PAGE.top) turnPage(sheet);
}

/** Draws a rectangle that says nothing: readers that speak pass over it. */
export function drawRule(
  { doc }: Pick<Sheet, "doc">,
  frame: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  colour: string,
): void {
  doc.markContent("Artifact", { type: "Layout" });
  doc.rect(frame.x, frame.y, frame.width, frame.height).fill(colour);
  doc.endMarkedContent();
}

export type StyledLine = { readonly text: string; readonly style: TextStyle };

/** Writes lines from a height on, on this page, as one piece of content; all but the last end in a space, so that their words stay apart where they are read. */
export function writeLines(
  { doc, type }: Sheet,
  lines: readonly StyledLine[],
  { tag, x, y, last }: { readonly tag: string; readonly x: number; readonly y: number; readonly last: boolean },
): StructureContent {
  const content = doc.markStructureContent(tag);
  let top = y;
  for (const [index, { text, style }] of lines.entries()) {
    const isLast = last && index + 1 === lines.length;
    type.draw(isLast ? text : `${text} `, style, { x, y: top + style.size * ASCENT });
    top += lineHeight(style);
  }
  doc.endMarkedContent();
  return content;
}

/** Gives the height of what a text of so many lines begins with: a few lines stay together. */
export function startHeight(lines: number, style: TextStyle): number {
  return Math.min(lines, 4) * lineHeight(style);
}

/** Writes a text under what is there, on as many pages as it takes. */
export function writeText(sheet: Sheet, text: string, how: { readonly style: TextStyle; readonly tag: string; readonly x?: number }): Tag {
  const { style, tag, x = PAGE.left } = how;
  const height = lineHeight(style);
  const lines = sheet.type.lines(text, style, PAGE.left + WIDTH - x).map((line) => ({ text: line, style }));
  keepTogether(sheet, startHeight(lines.length, style));
  const children: StructureContent[] = [];
  for (let start = 0; start < lines.length; ) {
    if (sheet.y + height > PAGE.bottom) turnPage(sheet);
    const piece = lines.slice(start, start + Math.floor((PAGE.bottom - sheet.y) / height));
    start += piece.length;
    children.push(writeLines(sheet, piece, { tag, x, y: sheet.y, last: start >= lines.length }));
    sheet.y += piece.length * height;
  }
  return { type: tag, children };
}
