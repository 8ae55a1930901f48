import type { TextStyle } from "./create-typesetter.ts";
import type { Block } from "./document-model.ts";
import { COLOURS, drawRule, keepTogether, lineHeight, PAGE, type Sheet, startHeight, type Tag, WIDTH, writeText } from "./sheet.ts";
import { factsHeight, tableStart, writeFacts, writeTable } from "./write-table.ts";

const BODY: TextStyle = { face: "text", size: 9.6, colour: COLOURS.ink };
const HEADINGS: Readonly<Record<1 | 2 | 3, { readonly style: TextStyle; readonly before: number; readonly after: number }>> = {
  1: { style: { face: "title", size: 25, colour: COLOURS.ink }, before: 0, after: 6 },
  2: { style: { face: "title", size: 15, colour: COLOURS.accent }, before: 12, after: 5 },
  3: { style: { face: "strong", size: 10.4, colour: COLOURS.ink }, before: 7, after: 3 },
};
/** What a heading keeps beside it: it never ends a page. */
const KEPT_WITH_HEADING = 64;
/** Two fifths of a page: more room than that is not left empty at its foot. */
const MOST_KEPT_WITH_HEADING = (2 / 5) * (PAGE.bottom - PAGE.top);
const BULLET = { width: 12 } as const;
const NOTICE = { padding: 9, bar: 3 } as const;

/** Writes a block under what is there, `following` after it; gives its place in the structure. */
export function writeBlock(sheet: Sheet, block: Block, following: readonly Block[] = []): Tag {
  switch (block.kind) {
    case "heading":
      return writeHeading(sheet, block, following);
    case "paragraph":
      return writeParagraph(sheet, block);
    case "list":
      return writeList(sheet, block.items);
    case "notice":
      return writeNotice(sheet, block);
    case "facts":
      return writeFacts(sheet, block);
    case "table":
      return writeTable(sheet, block);
  }
}

function writeHeading(sheet: Sheet, { level, text }: Extract<Block, { kind: "heading" }>, following: readonly Block[]): Tag {
  const { style, before, after } = HEADINGS[level];
  if (sheet.y > PAGE.top) sheet.y += before;
  keepTogether(sheet, lineHeight(style) + after + keptWithHeading(sheet, following));
  if (level === 2) sheet.doc.outline.addItem(text);
  const tag = writeText(sheet, text, { style, tag: `H${level}` });
  sheet.y += after;
  return tag;
}

/** Facts about somebody stand whole under their name, where a part of a page holds them; a table with its first row; a heading with what it keeps itself. */
function keptWithHeading(sheet: Sheet, [next, ...rest]: readonly Block[]): number {
  if (next?.kind === "heading") {
    const { style, before, after } = HEADINGS[next.level];
    return before + lineHeight(style) + after + keptWithHeading(sheet, rest);
  }
  const whole = next?.kind === "facts" ? factsHeight(sheet, next) : next?.kind === "table" ? tableStart(sheet, next) : 0;
  return whole > MOST_KEPT_WITH_HEADING ? KEPT_WITH_HEADING : Math.max(KEPT_WITH_HEADING, whole);
}

function writeParagraph(sheet: Sheet, { text, tone }: Extract<Block, { kind: "paragraph" }>): Tag {
  const line = typeof text === "string" ? { text, face: BODY.face } : text;
  const size = line.face === "title" ? 14 : line.face === "mono" ? 8.4 : BODY.size;
  const tag = writeText(sheet, line.text, { style: { face: line.face, size, colour: tone ? COLOURS[tone] : BODY.colour }, tag: "P" });
  sheet.y += 5;
  return tag;
}

function writeList(sheet: Sheet, items: readonly string[]): Tag {
  const children = items.map((item): Tag => {
    // With the start of its text: a bullet alone at the foot of a page is of nothing.
    keepTogether(sheet, startHeight(sheet.type.lines(item, BODY, WIDTH - BULLET.width).length, BODY));
    const top = sheet.y;
    const label = writeText(sheet, "•", { style: { ...BODY, colour: COLOURS.accent }, tag: "Lbl", x: PAGE.left + 2 });
    sheet.y = top;
    const body = writeText(sheet, item, { style: BODY, tag: "LBody", x: PAGE.left + BULLET.width });
    sheet.y += 2.5;
    return { type: "LI", children: [label, body] };
  });
  sheet.y += 4;
  return { type: "L", children };
}

/** A sentence to be read before the others: its bar says in colour what its title says in words. */
function writeNotice(sheet: Sheet, { tone, title, text }: Extract<Block, { kind: "notice" }>): Tag {
  const [head, body]: readonly TextStyle[] = [{ face: "strong", size: 10.6, colour: COLOURS[tone] }, BODY];
  if (head === undefined || body === undefined) throw new Error("A notice has two styles");
  const x = PAGE.left + NOTICE.bar + NOTICE.padding;
  const linesOf = (words: string, style: TextStyle) => sheet.type.lines(words, style, PAGE.left + WIDTH - x).length * lineHeight(style);
  const height = linesOf(title, head) + linesOf(text, body) + 2 * NOTICE.padding;
  keepTogether(sheet, height);
  drawRule(sheet, { x: PAGE.left, y: sheet.y, width: WIDTH, height }, "#f4f6fd");
  drawRule(sheet, { x: PAGE.left, y: sheet.y, width: NOTICE.bar, height }, COLOURS[tone]);
  const bottom = sheet.y + height;
  sheet.y += NOTICE.padding;
  const children = [writeText(sheet, title, { style: head, tag: "P", x }), writeText(sheet, text, { style: body, tag: "P", x })];
  sheet.y = bottom + 10;
  return { type: "Div", children };
}
