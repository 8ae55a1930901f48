import { textContent } from "../appearance/text-block.ts";
import type { TextFonts } from "../font/text-fonts.ts";
import { writeNumber } from "../pdf/write-object.ts";
import type { Frame, PrintedCode, PrintedMarks } from "./types.ts";

/** Of the design's tokens: ink, its softer second, the one accent, and hairlines. */
const COLORS = { ink: "0.086 0.106 0.2", soft: "0.3 0.33 0.42", accent: "0.165 0.247 0.616", line: "0.83 0.85 0.9" } as const;

export type MarkFonts = { readonly text: TextFonts; readonly title: TextFonts };

/** Gives the content that draws marks on a page of this height, in points from its bottom left corner. */
export function marksContent(marks: PrintedMarks, height: number, fonts: MarkFonts): string {
  const rules = (marks.rules ?? []).map(({ frame, tone }) => `${COLORS[tone]} rg ${rectangle(frame, height)} re f\n`);
  const codes = marks.codes.map((code) => codeContent(code, height));
  const texts = marks.texts.map(({ lines, frame, size, face = "text", tone = "ink", vertical = "top" }) =>
    textContent({
      area: { x: frame.x, y: height - frame.y - frame.height, width: frame.width, height: frame.height },
      lines,
      fonts: fonts[face],
      size,
      breaking: "wrap",
      vertical,
      color: `${COLORS[tone]} rg`,
    }),
  );
  return [...rules, ...codes, ...texts].join("");
}

/**
 * Draws a code as one path: painted one by one, modules that touch would show hairs between them at the resolution of a scanner.
 * Source: ISO/IEC 18004 §6.3.1 (dark on light).
 */
function codeContent({ modules, frame }: PrintedCode, height: number): string {
  const count = modules.length;
  const [side, bottom] = [frame.width / count, height - frame.y - frame.height];
  const runs = modules.flatMap((row, index) => darkRuns(row).map(({ from, length }) => `${from} ${count - 1 - index} ${length} 1 re`));
  const matrix = [side, 0, 0, side, frame.x, bottom].map((value) => writeNumber(value, 5)).join(" ");
  return `q ${matrix} cm 0 g\n${runs.join("\n")}\nf Q\n`;
}

function darkRuns(row: readonly boolean[]): readonly { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  for (const [index, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (isDark && last && last.from + last.length === index) last.length += 1;
    else if (isDark) runs.push({ from: index, length: 1 });
  }
  return runs;
}

function rectangle({ x, y, width, height }: Frame, pageHeight: number): string {
  return [x, pageHeight - y - height, width, height].map((value) => writeNumber(value, 3)).join(" ");
}
