import { joinLines, type TextLine, type TextRun, textLines } from "./text-lines.ts";

/** A part of a page as one reads it aloud; `y` is its top, in fractions of the displayed page. */
export type TextBlock = { readonly kind: "heading" | "paragraph" | "item"; readonly text: string; readonly y: number };

const HEADING_RATIO = 1.15;
const LONGEST_HEADING = 140;
/** Lines further apart than this, in heights of letters, are not of one paragraph. */
const LINE_GAP = 1.9;
const BULLET = /^[•◦▪●○■□–—*-]\s+/u;
const NUMBERED_TITLE = /^((article|titre|chapitre|section|annexe)\s+\S[^.]{0,100}|préambule)$/iu;

/**
 * Makes headings, paragraphs and list items of the runs of a page, in the order of the file, which is the order of writing.
 * Shape: an untagged file says nothing of its structure: larger letters, capitals and « Article 3 » make a heading, a gap or a bullet begins anew.
 */
export function textBlocks(runs: readonly TextRun[], pageHeight: number): readonly TextBlock[] {
  const lines = textLines(runs);
  const body = bodySize(lines);
  const right = lines.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  const blocks: { kind: TextBlock["kind"]; text: string; y: number; last: TextLine }[] = [];
  for (const line of lines) {
    const before = blocks.at(-1);
    if (before && isSameBlock(before, line, right)) {
      before.text = joinLines(before.text, line.text);
      before.last = line;
    } else {
      const kind = BULLET.test(line.text) ? "item" : line.size >= body * HEADING_RATIO ? "heading" : "paragraph";
      blocks.push({ kind, text: line.text.replace(BULLET, ""), y: (line.y - line.size) / pageHeight, last: line });
    }
  }
  return blocks.map(({ kind, text, y }) => ({ kind: headingOr(kind, text), text, y: Math.min(1, Math.max(0, y)) }));
}

/** The size that most letters have. */
function bodySize(lines: readonly TextLine[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of lines) letters.set(Math.round(size * 2) / 2, (letters.get(Math.round(size * 2) / 2) ?? 0) + text.length);
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

function isSameBlock(block: { readonly kind: TextBlock["kind"]; readonly last: TextLine }, line: TextLine, right: number): boolean {
  const { last } = block;
  const gap = line.y - last.y;
  if (gap <= 0 || gap > line.size * LINE_GAP || BULLET.test(line.text)) return false;
  if (Math.abs(line.size - last.size) > last.size * 0.1 || isCapitals(last.text) !== isCapitals(line.text)) return false;
  if (NUMBERED_TITLE.test(line.text) || (block.kind === "paragraph" && NUMBERED_TITLE.test(last.text))) return false;
  // A sentence that ends well before the margin ends its paragraph.
  return !(/[.:;!?]$/u.test(last.text) && last.right < right - 6 * last.size);
}

function headingOr(kind: TextBlock["kind"], text: string): TextBlock["kind"] {
  if (text.length > LONGEST_HEADING) return kind === "heading" ? "paragraph" : kind;
  return kind === "paragraph" && (isCapitals(text) || NUMBERED_TITLE.test(text)) ? "heading" : kind;
}

function isCapitals(text: string): boolean {
  const letters = text.replace(/\P{L}/gu, "");
  return letters.length >= 4 && letters === letters.toUpperCase();
}
