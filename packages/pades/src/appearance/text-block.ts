import type { TextFonts } from "../font/text-fonts.ts";
import { writeNumber } from "../pdf/write-object.ts";
import type { Area } from "./form-x-object.ts";

export type TextBlock = {
  readonly area: Area;
  readonly lines: readonly string[];
  readonly fonts: TextFonts;
  /** The largest size; it shrinks until every line fits. Units: points. */
  readonly size: number;
  /** `wrap` breaks lines at spaces; `keep` only shrinks. */
  readonly breaking: "wrap" | "keep";
  readonly vertical: "top" | "middle";
  /** The operator that sets the text's fill colour. */
  readonly color: string;
  /** 0 for the left edge (the default), 1 for the right. */
  readonly align?: number;
};

const LEADING = 1.22;
const SHRINK = 0.94;
const SMALLEST = 0.5;

/** Content that prints lines of text, shrunk to an area. */
export function textContent(block: TextBlock): string {
  const { area, fonts } = block;
  const paragraphs = block.lines.flatMap((line) => line.split(/\r\n|\r|\n/));
  let { size } = block;
  let lines = layOut(block, paragraphs, size);
  while (
    size > SMALLEST &&
    (lines.length * size * LEADING > area.height + 0.01 ||
      widest(fonts, lines) * size > area.width * 1000)
  ) {
    size *= SHRINK;
    lines = layOut(block, paragraphs, size);
  }
  const used = lines.length * size * LEADING;
  const top = block.vertical === "top" ? area.y + area.height : area.y + (area.height + used) / 2;
  let out = `BT ${block.color} ${writeNumber(size * LEADING, 3)} TL 1 0 0 1 ${writeNumber(area.x)} ${writeNumber(top - size)} Tm\n`;
  let current = "";
  let indent = 0;
  for (const line of lines) {
    const own = (block.align ?? 0) * (area.width - (fonts.widthOf(line) * size) / 1000);
    if (own !== indent) out += `${writeNumber(own - indent, 3)} 0 Td `;
    indent = own;
    for (const { resource, hex } of fonts.runsOf(line)) {
      if (resource !== current) out += `/${resource} ${writeNumber(size, 3)} Tf `;
      current = resource;
      out += `<${hex}> Tj `;
    }
    out += "T*\n";
  }
  return `${out}ET\n`;
}

const widest = (fonts: TextFonts, lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => fonts.widthOf(line)));

function layOut(block: TextBlock, paragraphs: readonly string[], size: number): readonly string[] {
  if (block.breaking === "keep") return paragraphs;
  const room = (block.area.width * 1000) / size;
  return paragraphs.flatMap((paragraph) => wrap(block.fonts, paragraph, room));
}

function wrap(fonts: TextFonts, paragraph: string, room: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && fonts.widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
