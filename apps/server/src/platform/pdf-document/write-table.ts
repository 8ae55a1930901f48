import type { StructureContent } from "pdfkit";
import type { Block, Line } from "./document-model.ts";
import {
  COLOURS,
  drawRule,
  keepTogether,
  lineHeight,
  PAGE,
  type Sheet,
  type StyledLine,
  type Tag,
  turnPage,
  WIDTH,
  writeLines,
} from "./sheet.ts";

const SIZE = { text: 8.6, mono: 7.6, header: 8 } as const;
const PADDING = { x: 5, y: 4 } as const;
/** What of a page the header of a table, or the start of a row that one page does not hold, may take. */
const TALL = 60;

type Column = { readonly x: number; readonly width: number; readonly tag: "TH" | "TD"; readonly scope?: "Row" | "Column" };
type Cell = Column & { readonly lines: readonly StyledLine[] };

type Table = Extract<Block, { kind: "table" }>;

/** Writes a table under its header, which is repeated, for the eye alone, on each page that it goes on to, and never ends one. */
export function writeTable(sheet: Sheet, table: Table): Tag {
  const header = headerCells(sheet, table);
  const repeat = () => {
    sheet.doc.markContent("Artifact", { type: "Pagination" });
    drawRow(sheet, header);
    sheet.doc.endMarkedContent();
    sheet.y += heightOf(header);
    drawRule(sheet, { x: PAGE.left, y: sheet.y - 0.4, width: WIDTH, height: 0.8 }, COLOURS.accent);
  };
  keepTogether(sheet, tableStart(sheet, table));
  const tags = [writeRow(sheet, header, { after: COLOURS.accent, turned: () => {} })];
  for (const row of table.rows) tags.push(writeRow(sheet, rowCells(sheet, table, row), { after: COLOURS.line, turned: repeat }));
  sheet.y += 10;
  return { type: "Table", children: tags };
}

/** Gives the height of what a table begins with: its header, and as much of its first row as is not parted. */
export function tableStart(sheet: Sheet, table: Table): number {
  const [first] = table.rows;
  return heightOf(headerCells(sheet, table)) + (first === undefined ? 0 : roomOf(rowCells(sheet, table, first)));
}

function placesOf({ columns }: Table): readonly { readonly x: number; readonly width: number }[] {
  let left: number = PAGE.left;
  return columns.map(({ share }) => {
    const place = { x: left, width: share * WIDTH };
    left += place.width;
    return place;
  });
}

function headerCells(sheet: Sheet, table: Table): readonly Cell[] {
  const places = placesOf(table);
  return table.columns.map(({ title }, index): Cell => {
    const column: Column = { ...(places[index] as (typeof places)[number]), tag: "TH", scope: "Column" };
    return { ...column, lines: styled(sheet, [{ text: title, face: "strong" }], { column, size: SIZE.header, colour: COLOURS.accent }) };
  });
}

function rowCells(sheet: Sheet, table: Table, row: Table["rows"][number]): readonly Cell[] {
  const places = placesOf(table);
  return row.map((lines, index): Cell => {
    const column: Column = { ...(places[index] as (typeof places)[number]), tag: "TD" };
    return { ...column, lines: styled(sheet, lines, { column }) };
  });
}

const LABEL: Column = { x: PAGE.left, width: WIDTH * 0.26, tag: "TH", scope: "Row" };
const VALUE: Column = { x: PAGE.left + WIDTH * 0.26, width: WIDTH * 0.74, tag: "TD" };

/** Writes facts, one under the other: a table of two columns whose rows are named by their first. */
export function writeFacts(sheet: Sheet, { rows }: Extract<Block, { kind: "facts" }>): Tag {
  const tags = rows.map((row) => writeRow(sheet, factCells(sheet, row), { after: COLOURS.band, turned: () => {} }));
  sheet.y += 10;
  return { type: "Table", children: tags };
}

/** Gives the height that facts take on one page. */
export function factsHeight(sheet: Sheet, { rows }: Extract<Block, { kind: "facts" }>): number {
  return rows.reduce((height, row) => height + heightOf(factCells(sheet, row)), 0);
}

function factCells(sheet: Sheet, { label, values }: Extract<Block, { kind: "facts" }>["rows"][number]): readonly Cell[] {
  return [
    { ...LABEL, lines: styled(sheet, [label], { column: LABEL, colour: COLOURS.soft }) },
    { ...VALUE, lines: styled(sheet, values, { column: VALUE }) },
  ];
}

/** Gives lines as they stand in a column, one under the other. */
function styled(
  sheet: Sheet,
  lines: readonly Line[],
  how: { readonly column: Column; readonly size?: number; readonly colour?: string },
): StyledLine[] {
  return lines.flatMap((line) => {
    const { text, face } = typeof line === "string" ? { text: line, face: "text" as const } : line;
    const style = { face, size: how.size ?? (face === "mono" ? SIZE.mono : SIZE.text), colour: how.colour ?? COLOURS.ink };
    return sheet.type.lines(text, style, how.column.width - 2 * PADDING.x).map((part) => ({ text: part, style }));
  });
}

const linesHeight = (lines: readonly StyledLine[]): number => lines.reduce((height, { style }) => height + lineHeight(style), 0);
const heightOf = (cells: readonly Cell[]): number => Math.max(...cells.map(({ lines }) => linesHeight(lines))) + 2 * PADDING.y;

/** The room that a row begins in: its height where one page holds it; a taller one goes on after its first lines. */
function roomOf(cells: readonly Cell[]): number {
  const height = heightOf(cells);
  return height > PAGE.bottom - PAGE.top - TALL ? TALL : height;
}

function drawRow(sheet: Sheet, cells: readonly Cell[]): void {
  for (const { lines, x } of cells) {
    let top = sheet.y + PADDING.y;
    for (const { text, style } of lines) {
      sheet.type.draw(text, style, { x: x + PADDING.x, y: top + style.size * 1.02 });
      top += lineHeight(style);
    }
  }
}

/** Writes a row, whole on one page where one holds it; a taller one goes on, each cell from where it was. `turned` is told of each new page. */
function writeRow(sheet: Sheet, cells: readonly Cell[], { after, turned }: { readonly after: string; readonly turned: () => void }): Tag {
  if (sheet.y + roomOf(cells) > PAGE.bottom) {
    turnPage(sheet);
    turned();
  }
  const contents = cells.map((): StructureContent[] => []);
  let left = cells.map(({ lines }) => lines);
  for (;;) {
    const room = PAGE.bottom - sheet.y - 2 * PADDING.y;
    const pieces = left.map((lines) => takeLines(lines, room));
    for (const [index, piece] of pieces.entries()) {
      const { tag, x } = cells[index] as Cell;
      const last = piece.length === left[index]?.length;
      if (piece.length > 0) contents[index]?.push(writeLines(sheet, piece, { tag, x: x + PADDING.x, y: sheet.y + PADDING.y, last }));
    }
    sheet.y += Math.max(...pieces.map(linesHeight)) + 2 * PADDING.y;
    left = left.map((lines, index) => lines.slice(pieces[index]?.length));
    if (left.every((lines) => lines.length === 0)) break;
    turnPage(sheet);
    turned();
  }
  drawRule(sheet, { x: PAGE.left, y: sheet.y - 0.3, width: WIDTH, height: 0.6 }, after);
  return {
    type: "TR",
    children: cells.map(({ tag, scope }, index) => ({ type: tag, ...(scope ? { scope } : {}), children: contents[index] ?? [] })),
  };
}

/** The first of these lines that this height holds: one at least, or nothing would ever end. */
function takeLines(lines: readonly StyledLine[], room: number): readonly StyledLine[] {
  let height = 0;
  const count = lines.findIndex(({ style }) => {
    height += lineHeight(style);
    return height > room;
  });
  return count === -1 ? lines : lines.slice(0, Math.max(1, count));
}
