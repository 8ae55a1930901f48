import { createHash } from "node:crypto";
import PDFDocument, { type StructureContent, type StructureElement } from "pdfkit";
import {
  createTypesetter,
  type DocumentFonts,
  type TextStyle,
  type Typesetter,
  type Attachment,
  type Block,
  type DocumentModel,
  type Line,
} from "./create-typesetter.ts";

const PAGE = { width: 595.28, height: 841.89, left: 56, top: 60, bottom: 776 } as const;
const WIDTH = PAGE.width - 2 * PAGE.left;
const COLOURS = {
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
/** From top to baseline, in parts of the size. */
const ASCENT = 1.02;

/** Has content by page, or children. Source: ISO 32000-2 §14.8.4. */
type Tag = {
  readonly type: string;
  readonly scope?: "Row" | "Column";
  readonly children: readonly (Tag | StructureContent)[];
};

type Sheet = { readonly doc: PDFDocument; readonly type: Typesetter; y: number };

const lineHeight = ({ size }: Pick<TextStyle, "size">): number => size * LEADING;

function turnPage(sheet: Sheet): void {
  sheet.doc.addPage();
  sheet.y = PAGE.top;
}

function ensureRoom(sheet: Sheet, height: number): void {
  if (sheet.y + height > PAGE.bottom && sheet.y > PAGE.top) turnPage(sheet);
}

function drawRule(
  { doc }: Pick<Sheet, "doc">,
  frame: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  },
  colour: string,
): void {
  doc.markContent("Artifact", { type: "Layout" });
  doc.rect(frame.x, frame.y, frame.width, frame.height).fill(colour);
  doc.endMarkedContent();
}

type StyledLine = { readonly text: string; readonly style: TextStyle };

/** Lines end in a space, so that words stay apart when read aloud. */
function writeLines(
  { doc, type }: Sheet,
  lines: readonly StyledLine[],
  {
    tag,
    x,
    y,
    last,
  }: { readonly tag: string; readonly x: number; readonly y: number; readonly last: boolean },
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

function startHeight(lines: number, style: TextStyle): number {
  return Math.min(lines, 4) * lineHeight(style);
}

function writeText(
  sheet: Sheet,
  text: string,
  how: { readonly style: TextStyle; readonly tag: string; readonly x?: number },
): Tag {
  const { style, tag, x = PAGE.left } = how;
  const height = lineHeight(style);
  const lines = sheet.type
    .lines(text, style, PAGE.left + WIDTH - x)
    .map((line) => ({ text: line, style }));
  ensureRoom(sheet, startHeight(lines.length, style));
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

const SIZE = { text: 8.6, mono: 7.6, header: 8 } as const;
const PADDING = { x: 5, y: 4 } as const;
/** Applies to a table's header, or a row longer than a page. */
const TALL = 60;

type Column = {
  readonly x: number;
  readonly width: number;
  readonly tag: "TH" | "TD";
  readonly scope?: "Row" | "Column";
};
type Cell = Column & { readonly lines: readonly StyledLine[] };

type Table = Extract<Block, { kind: "table" }>;

/** Repeats the header on each page as an artifact; it never ends a page. */
function writeTable(sheet: Sheet, table: Table): Tag {
  const header = headerCells(sheet, table);
  const repeat = () => {
    sheet.doc.markContent("Artifact", { type: "Pagination" });
    drawRow(sheet, header);
    sheet.doc.endMarkedContent();
    sheet.y += heightOf(header);
    drawRule(sheet, { x: PAGE.left, y: sheet.y - 0.4, width: WIDTH, height: 0.8 }, COLOURS.accent);
  };
  ensureRoom(sheet, tableStart(sheet, table));
  const tags = [writeRow(sheet, header, { after: COLOURS.accent, turned: () => {} })];
  for (const row of table.rows)
    tags.push(
      writeRow(sheet, rowCells(sheet, table, row), { after: COLOURS.line, turned: repeat }),
    );
  sheet.y += 10;
  return { type: "Table", children: tags };
}

/** Includes the unbreakable part of the first row. */
function tableStart(sheet: Sheet, table: Table): number {
  const [first] = table.rows;
  return (
    heightOf(headerCells(sheet, table)) +
    (first === undefined ? 0 : roomOf(rowCells(sheet, table, first)))
  );
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
    const column: Column = {
      ...(places[index] as (typeof places)[number]),
      tag: "TH",
      scope: "Column",
    };
    return {
      ...column,
      lines: styled(sheet, [{ text: title, face: "strong" }], {
        column,
        size: SIZE.header,
        colour: COLOURS.accent,
      }),
    };
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

function writeFacts(sheet: Sheet, { rows }: Extract<Block, { kind: "facts" }>): Tag {
  const tags = rows.map((row) =>
    writeRow(sheet, factCells(sheet, row), { after: COLOURS.band, turned: () => {} }),
  );
  sheet.y += 10;
  return { type: "Table", children: tags };
}

function factsHeight(sheet: Sheet, { rows }: Extract<Block, { kind: "facts" }>): number {
  return rows.reduce((height, row) => height + heightOf(factCells(sheet, row)), 0);
}

function factCells(
  sheet: Sheet,
  { label, values }: Extract<Block, { kind: "facts" }>["rows"][number],
): readonly Cell[] {
  return [
    { ...LABEL, lines: styled(sheet, [label], { column: LABEL, colour: COLOURS.soft }) },
    { ...VALUE, lines: styled(sheet, values, { column: VALUE }) },
  ];
}

function styled(
  sheet: Sheet,
  lines: readonly Line[],
  how: { readonly column: Column; readonly size?: number; readonly colour?: string },
): StyledLine[] {
  return lines.flatMap((line) => {
    const { text, face } = typeof line === "string" ? { text: line, face: "text" as const } : line;
    const style = {
      face,
      size: how.size ?? (face === "mono" ? SIZE.mono : SIZE.text),
      colour: how.colour ?? COLOURS.ink,
    };
    return sheet.type
      .lines(text, style, how.column.width - 2 * PADDING.x)
      .map((part) => ({ text: part, style }));
  });
}

const linesHeight = (lines: readonly StyledLine[]): number =>
  lines.reduce((height, { style }) => height + lineHeight(style), 0);
const heightOf = (cells: readonly Cell[]): number =>
  Math.max(...cells.map(({ lines }) => linesHeight(lines))) + 2 * PADDING.y;

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

/** A long row continues, cell by cell. `turned` runs on each new page. */
function writeRow(
  sheet: Sheet,
  cells: readonly Cell[],
  { after, turned }: { readonly after: string; readonly turned: () => void },
): Tag {
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
      if (piece.length > 0)
        contents[index]?.push(
          writeLines(sheet, piece, { tag, x: x + PADDING.x, y: sheet.y + PADDING.y, last }),
        );
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
    children: cells.map(({ tag, scope }, index) => ({
      type: tag,
      ...(scope ? { scope } : {}),
      children: contents[index] ?? [],
    })),
  };
}

/** Takes one at least, so that the loop ends. */
function takeLines(lines: readonly StyledLine[], room: number): readonly StyledLine[] {
  let height = 0;
  const count = lines.findIndex(({ style }) => {
    height += lineHeight(style);
    return height > room;
  });
  return count === -1 ? lines : lines.slice(0, Math.max(1, count));
}

const BODY: TextStyle = { face: "text", size: 9.6, colour: COLOURS.ink };
const HEADINGS: Readonly<
  Record<1 | 2 | 3, { readonly style: TextStyle; readonly before: number; readonly after: number }>
> = {
  1: { style: { face: "title", size: 25, colour: COLOURS.ink }, before: 0, after: 6 },
  2: { style: { face: "title", size: 15, colour: COLOURS.accent }, before: 12, after: 5 },
  3: { style: { face: "strong", size: 10.4, colour: COLOURS.ink }, before: 7, after: 3 },
};
const KEPT_WITH_HEADING = 64;
/** A heading leaves no more of a page empty. */
const MOST_KEPT_WITH_HEADING = (2 / 5) * (PAGE.bottom - PAGE.top);
const AFTER_PARAGRAPH = 5;
const BULLET = { width: 12 } as const;
const NOTICE = { padding: 9, bar: 3 } as const;

function writeBlock(sheet: Sheet, block: Block, following: readonly Block[] = []): Tag {
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

function writeHeading(
  sheet: Sheet,
  { level, text }: Extract<Block, { kind: "heading" }>,
  following: readonly Block[],
): Tag {
  const { style, before, after } = HEADINGS[level];
  if (sheet.y > PAGE.top) sheet.y += before;
  ensureRoom(sheet, lineHeight(style) + after + keptWithHeading(sheet, following));
  if (level === 2) sheet.doc.outline.addItem(text);
  const tag = writeText(sheet, text, { style, tag: `H${level}` });
  sheet.y += after;
  return tag;
}

/**
 * Keeps it with all facts where they fit, a table's first row, a further heading, or an introduced
 * table.
 */
function keptWithHeading(sheet: Sheet, [next, ...rest]: readonly Block[]): number {
  const [introduced] = rest;
  if (
    next?.kind === "paragraph" &&
    (introduced?.kind === "table" ||
      introduced?.kind === "facts" ||
      introduced?.kind === "paragraph")
  )
    return paragraphHeight(sheet, next) + keptWithHeading(sheet, rest);
  if (next?.kind === "heading") {
    const { style, before, after } = HEADINGS[next.level];
    return before + lineHeight(style) + after + keptWithHeading(sheet, rest);
  }
  const whole =
    next?.kind === "facts"
      ? factsHeight(sheet, next)
      : next?.kind === "table"
        ? tableStart(sheet, next)
        : 0;
  return whole > MOST_KEPT_WITH_HEADING ? KEPT_WITH_HEADING : Math.max(KEPT_WITH_HEADING, whole);
}

type Paragraph = Extract<Block, { kind: "paragraph" }>;

function writeParagraph(sheet: Sheet, paragraph: Paragraph): Tag {
  const { text, style } = paragraphLine(paragraph);
  const tag = writeText(sheet, text, { style, tag: "P" });
  sheet.y += AFTER_PARAGRAPH;
  return tag;
}

function paragraphLine({ text, tone }: Paragraph): StyledLine {
  const line = typeof text === "string" ? { text, face: BODY.face } : text;
  const size = line.face === "title" ? 14 : line.face === "mono" ? 8.4 : BODY.size;
  return {
    text: line.text,
    style: { face: line.face, size, colour: tone ? COLOURS[tone] : BODY.colour },
  };
}

function paragraphHeight(sheet: Sheet, paragraph: Paragraph): number {
  const { text, style } = paragraphLine(paragraph);
  return sheet.type.lines(text, style, WIDTH).length * lineHeight(style) + AFTER_PARAGRAPH;
}

function writeList(sheet: Sheet, items: readonly string[]): Tag {
  const children = items.map((item): Tag => {
    // No bullet stands alone at a page's foot.
    ensureRoom(sheet, startHeight(sheet.type.lines(item, BODY, WIDTH - BULLET.width).length, BODY));
    const top = sheet.y;
    const label = writeText(sheet, "•", {
      style: { ...BODY, colour: COLOURS.accent },
      tag: "Lbl",
      x: PAGE.left + 2,
    });
    sheet.y = top;
    const body = writeText(sheet, item, { style: BODY, tag: "LBody", x: PAGE.left + BULLET.width });
    sheet.y += 2.5;
    return { type: "LI", children: [label, body] };
  });
  sheet.y += 4;
  return { type: "L", children };
}

/** The bar repeats its title in colour. */
function writeNotice(sheet: Sheet, { tone, title, text }: Extract<Block, { kind: "notice" }>): Tag {
  const [head, body]: readonly TextStyle[] = [
    { face: "strong", size: 10.6, colour: COLOURS[tone] },
    BODY,
  ];
  if (head === undefined || body === undefined) throw new Error("A notice has two styles");
  const x = PAGE.left + NOTICE.bar + NOTICE.padding;
  const linesOf = (words: string, style: TextStyle) =>
    sheet.type.lines(words, style, PAGE.left + WIDTH - x).length * lineHeight(style);
  const height = linesOf(title, head) + linesOf(text, body) + 2 * NOTICE.padding;
  ensureRoom(sheet, height);
  drawRule(sheet, { x: PAGE.left, y: sheet.y, width: WIDTH, height }, "#f4f6fd");
  drawRule(sheet, { x: PAGE.left, y: sheet.y, width: NOTICE.bar, height }, COLOURS[tone]);
  const bottom = sheet.y + height;
  sheet.y += NOTICE.padding;
  const children = [
    writeText(sheet, title, { style: head, tag: "P", x }),
    writeText(sheet, text, { style: body, tag: "P", x }),
  ];
  sheet.y = bottom + 10;
  return { type: "Div", children };
}

const MOST_FOLLOWING = 3;
const FOOT: TextStyle = { face: "text", size: 7.6, colour: COLOURS.soft };

/** PDF/A requires this extension's schema. Source: ISO 14289-1 §5; ISO 19005-3 §6.6.2.3. */
const PDF_UA = `
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema><pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category><pdfaProperty:description>Part of ISO 14289 that is followed</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>`;

/**
 * Writes PDF/A-3a and PDF/UA-1.
 * Source: ISO 19005-3, level A (§6.7: logical structure; §6.8: embedded files); ISO 14289-1; ISO
 * 32000-1 §14.8 (tagged PDF).
 */
export async function renderDocument(
  model: DocumentModel,
  fonts: DocumentFonts,
): Promise<Uint8Array> {
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    pdfVersion: "1.7",
    subset: "PDF/A-3a",
    tagged: true,
    lang: model.lang,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    font: null,
    info: {
      Title: model.title,
      Subject: model.subject,
      Author: model.author,
      Creator: "Paraphe",
      Producer: "Paraphe",
      CreationDate: model.madeAt,
      ModDate: model.madeAt,
    },
  });
  const written = collect(doc);
  const sheet: Sheet = { doc, type: createTypesetter(doc, fonts), y: 0 };
  turnPage(sheet);
  const children = model.blocks.map((block, index) =>
    writeBlock(sheet, block, model.blocks.slice(index + 1, index + 1 + MOST_FOLLOWING)),
  );
  doc.addStructure(elementOf(doc, { type: "Document", children }));
  writeFooters(sheet, model.footer);
  attachFiles(doc, model);
  doc.appendXML(PDF_UA);
  doc.end();
  return written;
}

async function collect(doc: PDFDocument): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of doc) pieces.push(piece as Uint8Array);
  return new Uint8Array(Buffer.concat(pieces));
}

function elementOf(doc: PDFDocument, { type, scope, children }: Tag): StructureElement {
  const element = doc.struct(type, scope ? { scope } : {});
  for (const child of children) element.add("children" in child ? elementOf(doc, child) : child);
  return element;
}

function writeFooters({ doc, type }: Sheet, footer: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let index = start; index < start + count; index++) {
    doc.switchToPage(index);
    drawRule({ doc }, { x: PAGE.left, y: 792, width: WIDTH, height: 0.6 }, COLOURS.line);
    doc.markContent("Artifact", { type: "Pagination" });
    const number = `Page\u00a0${index + 1}\u00a0/\u00a0${count}`;
    type.draw(footer, FOOT, { x: PAGE.left, y: 806 });
    type.draw(number, FOOT, { x: PAGE.left + WIDTH - type.widthOf(number, FOOT), y: 806 });
    doc.endMarkedContent();
  }
}

/** Source: ISO 19005-3 §6.8; ISO 32000-2 §7.11.4, tables 43 to 45. */
function attachFiles(doc: PDFDocument, { attachments, madeAt }: DocumentModel): void {
  const specifications = attachments.map(
    ({ name, mediaType, description, relationship, bytes }: Attachment) => {
      const file = doc.ref({
        Type: "EmbeddedFile",
        Subtype: mediaType.replace("/", "#2F"),
        Params: {
          ModDate: madeAt,
          Size: bytes.length,
          CheckSum: createHash("md5").update(bytes).digest(),
        },
      });
      file.end(bytes);
      const specification = doc.ref({
        Type: "Filespec",
        AFRelationship: relationship,
        F: asText(name),
        UF: asText(name),
        Desc: asText(description),
        EF: { F: file, UF: file },
      });
      specification.end();
      doc.addNamedEmbeddedFile(name, specification);
      return specification;
    },
  );
  if (specifications.length > 0) doc._root.data["AF"] = specifications;
}

/** A `String` object is written as text, a plain string as a name. */
function asText(text: string): unknown {
  // oxlint-disable-next-line no-new-wrappers
  return new String(text);
}
