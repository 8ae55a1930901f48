import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { textContent } from "../appearance/content.ts";
import { type TextFonts, drawableText, embedTextFonts } from "../font/text-fonts.ts";
import { parseTrueType } from "../font/true-type-font.ts";
import { removeActions } from "../inspect/active-content.ts";
import { drawValues, settleFields, unsettledFields } from "../inspect/form-values.ts";
import {
  type Looks,
  addLooks,
  annotationsOf,
  createLooks,
  pagesOf,
  requireBearableAnnotations,
} from "../inspect/flatten-annotations.ts";
import { contentOperations, pageContent } from "../inspect/flatten-layers.ts";
import { formFields } from "../pdf/form-fields.ts";
import { freeNumbers } from "../pdf/walk-objects.ts";
import { type IncrementalUpdate, beginUpdate, latinBytes } from "../pdf/incremental-update.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  openPdf,
  requireIncremental,
} from "../pdf/open-pdf.ts";
import {
  type Page,
  displayedGeometry,
  inheritedAt,
  pageAt,
  rectangleOn,
} from "../pdf/page-geometry.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeNumber, writeObject } from "../pdf/write-object.ts";
import type { Deflate } from "../ports.ts";
import { withEntries } from "../sign/prepare-fields.ts";

type BalancedContent = {
  readonly text: string;
  readonly isChanged: boolean;
  readonly open: number;
};

/**
 * Removes each unmatched `Q`: it would restore a state saved before the content.
 * Source: ISO 32000-2 §8.4.2.
 */
export function balanceContent(text: string): BalancedContent {
  let open = 0;
  let from = 0;
  let kept = "";
  for (const { operator, start, end } of contentOperations(text)) {
    if (operator === "q") open += 1;
    else if (operator === "Q" && open > 0) open -= 1;
    else if (operator === "Q") {
      kept += `${text.slice(from, start)}\n`;
      from = end;
    }
  }
  return { text: kept + text.slice(from), isChanged: from > 0, open };
}

/** What marks a file as signed, what acts, and what paper cannot carry. */
const LEFT_OUT = [
  "AcroForm",
  "Perms",
  "DSS",
  "OpenAction",
  "AA",
  "AF",
  "Collection",
  "Metadata",
  "Legal",
  "Extensions",
];

/**
 * A copy of a signed file with all that is displayed as part of its pages.
 * Shape: each content restores the graphics state, so more can be drawn after it.
 * Errors: those of `openPdf`; `pdf_too_complex`.
 * Source: ISO 32000-2 §12.5.5, §12.7.
 */
export async function flattenForPrint(
  bytes: Uint8Array,
  { fonts, title }: { readonly fonts: Pick<Fonts, "text">; readonly title: string },
): Promise<Uint8Array> {
  const open = await withValues(await openPdf(bytes), fonts);
  requireBearableAnnotations(open);
  forgetSignatures(open);
  removeActions(open);
  dictAt(open, open.catalog, "Names")?.delete("EmbeddedFiles");
  for (const key of LEFT_OUT) open.catalog.delete(key);
  const pages = pagesOf(open);
  const looks = createLooks(open, pages);
  const saving = open.pdf.context.register(new PdfStream([], latinBytes("q\n")));
  for (const page of new Set(pages)) flattenPage(open, page, { looks, saving });
  open.pdf.setTitle(title);
  return open.pdf.save();
}

function forgetSignatures(open: OpenPdf): void {
  for (const { dict, type, parents } of formFields(open)) {
    if (type !== "Sig") continue;
    for (const one of [dict, ...parents.map((parent) => parent.dict)]) one.delete("V");
  }
}

/** Fields that readers draw themselves need an appearance of ours. */
async function withValues(open: OpenPdf, fonts: Pick<Fonts, "text">): Promise<OpenPdf> {
  if (unsettledFields(open) === 0) return open;
  settleFields(open, fonts);
  return openPdf(await drawValues(await open.pdf.save(), fonts));
}

function flattenPage(
  open: OpenPdf,
  page: PdfDict,
  { looks, saving }: { readonly looks: Looks; readonly saving: PdfObject },
): void {
  const listed = annotationsOf(open, page);
  const drawn = listed.flatMap(({ dict }) => looks.of(dict) ?? []);
  page.set(
    "Annots",
    new PdfArray(listed.flatMap(({ item, dict }) => (isPlainLink(open, dict) ? [item] : []))),
  );
  page.delete("AA");
  if (drawn.length > 0) addLooks(open, page, drawn);
  const { text, isChanged, open: unclosed } = balanceContent(pageContent(open, page));
  const own = isChanged
    ? [open.pdf.context.register(new PdfStream([], latinBytes(text)))]
    : flatContents(open, page);
  const closing = `\n${"Q\n".repeat(unclosed + 1)}${drawn.map(({ operators }) => operators).join("")}`;
  page.set(
    "Contents",
    new PdfArray([
      saving,
      ...own,
      open.pdf.context.register(new PdfStream([], latinBytes(closing))),
    ]),
  );
}

const isPlainLink = (open: OpenPdf, annotation: PdfDict): boolean =>
  nameAt(open, annotation, "Subtype") === "Link" && !annotation.has("AP");

function flatContents(open: OpenPdf, page: PdfDict): readonly PdfObject[] {
  const listed = page.get("Contents");
  const contents = follow(open, listed);
  if (contents instanceof PdfArray)
    return contents.toArray().filter((item) => follow(open, item) instanceof PdfStream);
  return listed && contents instanceof PdfStream ? [listed] : [];
}

/** A rectangle of a displayed page. Units: points from its top left corner. */
export type Frame = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A QR code: rows of modules from the top, `true` for dark; the frame has no quiet zone. */
export type PrintedCode = {
  readonly modules: readonly (readonly boolean[])[];
  readonly frame: Frame;
};

/** Lines printed in a frame, wrapped and shrunk to it. `size`: the largest. Units: points. */
export type PrintedText = {
  readonly lines: readonly string[];
  readonly frame: Frame;
  readonly size: number;
  readonly face?: "text" | "title";
  readonly tone?: "ink" | "soft" | "accent";
  readonly vertical?: "top" | "middle";
};

export type PrintedRule = { readonly frame: Frame; readonly tone: "line" | "accent" };

export type PrintedMarks = {
  readonly codes: readonly PrintedCode[];
  readonly texts: readonly PrintedText[];
  readonly rules?: readonly PrintedRule[];
};

/** Marks for a page of the file, numbered from 1. */
export type MarkedPage = PrintedMarks & {
  readonly pageNumber: number;
  /**
   * The scale of the page's own content, 1 for unchanged; a smaller one makes room along `margin`.
   */
  readonly scale: number;
  readonly margin: "bottom" | "right";
};

export type AddedPage = PrintedMarks & { readonly width: number; readonly height: number };

export type PrintMarksOptions = {
  readonly pages: readonly MarkedPage[];
  readonly added: readonly AddedPage[];
  readonly fonts: Pick<Fonts, "text"> & { readonly title: Uint8Array };
};

/** The design's tokens: ink, second ink, accent, hairline. */
const COLORS = {
  ink: "0.086 0.106 0.2",
  soft: "0.3 0.33 0.42",
  accent: "0.165 0.247 0.616",
  line: "0.83 0.85 0.9",
} as const;

type MarkFonts = { readonly text: TextFonts; readonly title: TextFonts };

/** Units: points from the bottom left corner. */
function marksContent(marks: PrintedMarks, height: number, fonts: MarkFonts): string {
  const rules = (marks.rules ?? []).map(
    ({ frame, tone }) => `${COLORS[tone]} rg ${rectangle(frame, height)} re f\n`,
  );
  const codes = marks.codes.map((code) => codeContent(code, height));
  const texts = marks.texts.map(
    ({ lines, frame, size, face = "text", tone = "ink", vertical = "top" }) =>
      textContent({
        area: {
          x: frame.x,
          y: height - frame.y - frame.height,
          width: frame.width,
          height: frame.height,
        },
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
 * Separate modules would show hairlines in a scan. Source: ISO/IEC 18004 §6.3.1 (dark on light).
 */
function codeContent({ modules, frame }: PrintedCode, height: number): string {
  const count = modules.length;
  const [side, bottom] = [frame.width / count, height - frame.y - frame.height];
  const runs = modules.flatMap((row, index) =>
    darkRuns(row).map(({ from, length }) => `${from} ${count - 1 - index} ${length} 1 re`),
  );
  const matrix = [side, 0, 0, side, frame.x, bottom]
    .map((value) => writeNumber(value, 5))
    .join(" ");
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
  return [x, pageHeight - y - height, width, height]
    .map((value) => writeNumber(value, 3))
    .join(" ");
}

/** Used as it is on an added page; elsewhere the prefix of a free name. */
const NAME = "PsPrint";

/**
 * Draws codes and texts upright on a copy from `flattenForPrint`, and appends pages. A character
 * that no font has becomes a question mark.
 * Errors: those of `openPdf`; `field_not_found` for a missing page.
 * Source: ISO 32000-2 §7.7.3.3, §14.11.2, §14.8.2.2.2 (artifacts).
 */
export async function addPrintMarks(
  bytes: Uint8Array,
  { pages, added, fonts, deflate }: PrintMarksOptions & { readonly deflate?: Deflate },
): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  requireIncremental(open);
  const update = beginUpdate(open, { deflate, from: freeNumbers(open).from });
  const legible = <T extends PrintedMarks>(marks: T): T => ({
    ...marks,
    texts: legibleTexts(marks.texts, fonts),
  });
  const [marked, behind] = [pages.map(legible), added.map(legible)];
  const letters = await embedMarkFonts(update, { marks: [...marked, ...behind], fonts });
  const saving = update.allocate();
  await update.putStream(saving, "", latinBytes("q\n"));
  for (const page of marked) await putMarks(open, update, { marked: page, letters, saving });
  if (behind.length > 0) await putPages(open, update, { added: behind, letters });
  return update.finish().bytes;
}

function legibleTexts(
  texts: readonly PrintedText[],
  { title, text }: PrintMarksOptions["fonts"],
): readonly PrintedText[] {
  const faces = { text: text.map(parseTrueType), title: [title, ...text].map(parseTrueType) };
  const legible = (line: string, face: "text" | "title") =>
    Array.from(drawableText(line), (character) =>
      /[\r\n]/.test(character) ||
      faces[face].some((font) => font.glyphOf(character.codePointAt(0) ?? 0) !== 0)
        ? character
        : "?",
    ).join("");
  return texts.map((one) => ({
    ...one,
    lines: one.lines.map((line) => legible(line, one.face ?? "text")),
  }));
}

type Letters = { readonly fonts: MarkFonts; readonly resources: string };

async function embedMarkFonts(
  update: IncrementalUpdate,
  {
    marks,
    fonts,
  }: { readonly marks: readonly PrintedMarks[]; readonly fonts: PrintMarksOptions["fonts"] },
): Promise<Letters> {
  const textsOf = (face: "text" | "title") =>
    marks.flatMap(({ texts }) =>
      texts.filter((text) => (text.face ?? "text") === face).flatMap(({ lines }) => lines),
    );
  const text = await embedTextFonts(update, {
    fonts,
    texts: textsOf("text"),
    shared: null,
    resource: "PsP",
  });
  const headings = { text: [fonts.title, ...fonts.text] };
  const title = await embedTextFonts(update, {
    fonts: headings,
    texts: textsOf("title"),
    shared: null,
    resource: "PsT",
  });
  return { fonts: { text, title }, resources: `/Font<<${text.resources}${title.resources}>>` };
}

type PageWork = { readonly marked: MarkedPage; readonly letters: Letters; readonly saving: number };

async function putMarks(
  open: OpenPdf,
  update: IncrementalUpdate,
  { marked, letters, saving }: PageWork,
): Promise<void> {
  const page = pageAt(open, marked.pageNumber);
  const form = await putForm(update, marked, { ...displayedGeometry(page), letters });
  const [before, behind] = [marked.scale < 1 ? update.allocate() : saving, update.allocate()];
  if (marked.scale < 1)
    await update.putStream(before, "", latinBytes(`q ${clippedAndScaled(page, marked)}\n`));
  const resources = inheritedDict(open, page.dict, "Resources");
  const objects = dictAt(open, resources, "XObject") ?? new PdfDict();
  const name = freeName(objects);
  await update.putStream(
    behind,
    "",
    latinBytes(`\nQ\nq ${uprightMatrix(page)} cm /Artifact BMC /${name} Do EMC Q\n`),
  );
  const contents = contentsOf(open, page.dict).map(writeObject);
  update.put(
    page.ref.objectNumber,
    withEntries(page.dict, {
      Contents: `[${[`${before} 0 R`, ...contents, `${behind} 0 R`].join(" ")}]`,
      Resources: withEntries(resources, {
        XObject: withEntries(objects, { [name]: `${form} 0 R` }),
      }),
      // Links would lead from where the text was.
      ...(marked.scale < 1 ? { Annots: null } : {}),
    }),
    page.ref.generation,
  );
}

/** Scaling would bring undisplayed content, such as crop marks, into the margin. */
function clippedAndScaled(page: Page, { scale, margin }: MarkedPage): string {
  const [x, y] = rectangleOn(
    page,
    margin === "bottom"
      ? { x: 0.5, y: 0, width: 0, height: 0 }
      : { x: 0, y: 0, width: 0, height: 0 },
  );
  const [left, bottom, right, top] = page.box;
  const matrix = [scale, 0, 0, scale, (1 - scale) * x, (1 - scale) * y]
    .map((value) => writeNumber(value, 6))
    .join(" ");
  return `${matrix} cm ${[left, bottom, right - left, top - bottom].map((value) => writeNumber(value, 3)).join(" ")} re W n`;
}

/** Source: ISO 32000-2 §8.3.2.3, §14.11.2. */
function uprightMatrix({ box: [left, bottom, right, top], rotation, userUnit }: Page): string {
  const unit = 1 / userUnit;
  const matrices = {
    0: [unit, 0, 0, unit, left, bottom],
    90: [0, unit, -unit, 0, right, bottom],
    180: [-unit, 0, 0, -unit, right, top],
    270: [0, -unit, unit, 0, left, top],
  } as const;
  return matrices[rotation].map((value) => writeNumber(value, 6)).join(" ");
}

type Sheet = { readonly width: number; readonly height: number; readonly letters: Letters };

async function putForm(
  update: IncrementalUpdate,
  marks: PrintedMarks,
  { width, height, letters }: Sheet,
): Promise<number> {
  const number = update.allocate();
  const entries = `/Type/XObject/Subtype/Form/BBox[0 0 ${writeNumber(width, 3)} ${writeNumber(height, 3)}]/Resources<<${letters.resources}>>`;
  update.putPacked(
    number,
    entries,
    await update.deflate(latinBytes(marksContent(marks, height, letters.fonts))),
  );
  return number;
}

/** Source: ISO 32000-2 §7.7.3.2. */
async function putPages(
  open: OpenPdf,
  update: IncrementalUpdate,
  { added, letters }: { readonly added: readonly AddedPage[]; readonly letters: Letters },
): Promise<void> {
  const root = open.catalog.get("Pages");
  const tree = follow(open, root);
  if (!(root instanceof PdfRef) || !(tree instanceof PdfDict)) return;
  const numbers: number[] = [];
  for (const page of added) {
    const [form, content, number] = [
      await putForm(update, page, { ...page, letters }),
      update.allocate(),
      update.allocate(),
    ];
    await update.putStream(content, "", latinBytes(`/${NAME} Do\n`));
    update.put(
      number,
      `<</Type/Page/Parent ${writeObject(root)}/MediaBox[0 0 ${writeNumber(page.width)} ${writeNumber(page.height)}]/CropBox[0 0 ${writeNumber(page.width)} ${writeNumber(page.height)}]/Rotate 0/UserUnit 1/Contents ${content} 0 R/Resources<</XObject<</${NAME} ${form} 0 R>>>>>>`,
    );
    numbers.push(number);
  }
  const kids = arrayAt(open, tree, "Kids")?.toArray().map(writeObject) ?? [];
  const count = (numberAt(open, tree, "Count") ?? kids.length) + numbers.length;
  const syntax = withEntries(tree, {
    Kids: `[${[...kids, ...numbers.map((number) => `${number} 0 R`)].join(" ")}]`,
    Count: String(count),
  });
  update.put(root.objectNumber, syntax, root.generation);
}

function inheritedDict(open: OpenPdf, page: PdfDict, key: string): PdfDict {
  const found = follow(open, inheritedAt(open, page, key));
  return found instanceof PdfDict ? found : new PdfDict();
}

function freeName(objects: PdfDict): string {
  let round = 0;
  while (objects.has(`${NAME}${round}`)) round += 1;
  return `${NAME}${round}`;
}

function contentsOf(open: OpenPdf, page: PdfDict) {
  const listed = page.get("Contents");
  const contents = follow(open, listed);
  if (contents instanceof PdfArray) return contents.toArray();
  return listed && contents instanceof PdfStream ? [listed] : [];
}
