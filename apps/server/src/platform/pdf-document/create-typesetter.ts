import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { plainText } from "@paraphe/contracts/person-rules";
import { type Font, create } from "fontkit";
import type PDFDocument from "pdfkit";
import { type FontCoverage, readFontCoverage, woffToTrueType } from "../fonts/load-fonts.ts";

type Face = "text" | "strong" | "title" | "mono";

export type Line = string | { readonly text: string; readonly face: Face };

/** Blocks from the top. Widths are shares of the line. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: Line; readonly tone?: "soft" | "accent" }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | {
      readonly kind: "notice";
      readonly tone: "good" | "caution" | "bad";
      readonly title: string;
      readonly text: string;
    }
  | {
      readonly kind: "facts";
      readonly rows: readonly { readonly label: string; readonly values: readonly Line[] }[];
    }
  | {
      readonly kind: "table";
      readonly columns: readonly { readonly title: string; readonly share: number }[];
      readonly rows: readonly (readonly (readonly Line[])[])[];
    };

/** Source: ISO 19005-3 §6.8; ISO 32000-2 §7.11.3, table 43 (AFRelationship). */
export type Attachment = {
  readonly name: string;
  readonly mediaType: string;
  readonly description: string;
  readonly relationship: "Source" | "Data" | "Alternative" | "Supplement";
  readonly bytes: Uint8Array;
};

/**
 * Prints on A4, with attached files. Shape: `lang` is a BCP 47 tag; `footer` precedes page numbers.
 */
export type DocumentModel = {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  readonly lang: string;
  readonly madeAt: Date;
  readonly footer: string;
  readonly blocks: readonly Block[];
  readonly attachments: readonly Attachment[];
};

export type DocumentFont = {
  readonly coverage: FontCoverage;
  open(): Font;
};

/**
 * Reads tables once, as they take longer than a document. Each document opens its own font, since
 * glyphs remember characters.
 */
export function readDocumentFont(bytes: Uint8Array): DocumentFont {
  const { _tables } = create(bytes);
  return {
    coverage: readFontCoverage(bytes),
    open: () => Object.assign(create(bytes), { _tables }),
  };
}

export type DocumentFonts = Readonly<Record<Face | "fallback", DocumentFont>>;

export type TextStyle = { readonly face: Face; readonly size: number; readonly colour: string };

/** Points; `y` of the baseline, from the page's top. */
export type Typesetter = {
  lines(text: string, style: TextStyle, width: number): readonly string[];
  draw(line: string, style: TextStyle, at: { readonly x: number; readonly y: number }): void;
  widthOf(text: string, style: TextStyle): number;
};

type Run = { readonly font: Face | "fallback"; readonly text: string };

export function createTypesetter(doc: PDFDocument, fonts: DocumentFonts): Typesetter {
  for (const [name, font] of Object.entries(fonts)) doc.registerFont(name, font.open());
  const runsOf = (text: string, face: Face): readonly Run[] => {
    const runs: { font: Run["font"]; text: string }[] = [];
    for (const character of plainText(text)) {
      const run = runOf(character, face, fonts);
      const last = runs.at(-1);
      if (last?.font === run.font) last.text += run.text;
      else runs.push({ ...run });
    }
    return runs;
  };
  const measure = ({ font, text }: Run, size: number): number =>
    doc.font(font).fontSize(size).widthOfString(text);
  const widthOf = (text: string, { face, size }: TextStyle): number =>
    runsOf(text, face).reduce((width, run) => width + measure(run, size), 0);
  return {
    widthOf,
    lines: (text, style, width) => breakLines(text, width, (part) => widthOf(part, style)),
    draw(line, { face, size, colour }, { x, y }) {
      let left = x;
      for (const run of runsOf(line, face)) {
        const width = measure(run, size);
        doc.fillColor(colour).text(run.text, left, y, { lineBreak: false, baseline: "alphabetic" });
        left += width;
      }
    },
  };
}

/** A character without a glyph gives its number, never an empty box. */
function runOf(character: string, face: Face, fonts: DocumentFonts): Run {
  const code = character.codePointAt(0) ?? 0;
  if (fonts[face].coverage.has(code)) return { font: face, text: character };
  if (fonts.fallback.coverage.has(code)) return { font: "fallback", text: character };
  return { font: face, text: `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]` };
}

/**
 * Breaks at ordinary spaces; a word longer than the line is cut. Words are measured one by one,
 * with their space: no kerning crosses it.
 */
function breakLines(
  text: string,
  width: number,
  widthOf: (part: string) => number,
): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const word of text.split(/[ \n]+/)) {
    const spaced = widthOf(`${word} `);
    if (taken + spaced <= width || taken + widthOf(word) <= width) {
      line = line === "" ? word : `${line} ${word}`;
      taken = line === "" ? 0 : taken + spaced;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const head = longestStart(line, (part) => widthOf(part) <= width);
      lines.push(head);
      line = line.slice(head.length);
    }
    taken = widthOf(`${line} `);
  }
  return [...lines, line];
}

function longestStart(word: string, fits: (part: string) => boolean): string {
  const characters = [...word];
  let [low, high] = [1, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(characters.slice(0, middle).join(""))) low = middle;
    else high = middle - 1;
  }
  return characters.slice(0, low).join("");
}

const { resolve } = createRequire(import.meta.url);

/** Noto Sans covers Vietnamese, Greek and Cyrillic. */
const FILES: Readonly<Record<keyof DocumentFonts, string>> = {
  text: "@expo-google-fonts/instrument-sans/400Regular/InstrumentSans_400Regular.ttf",
  strong: "@expo-google-fonts/instrument-sans/600SemiBold/InstrumentSans_600SemiBold.ttf",
  title: "@fontsource/spectral/files/spectral-latin-500-normal.woff",
  mono: "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff",
  fallback: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
};

let loaded: Promise<DocumentFonts> | null = null;

export function loadDocumentFonts(): Promise<DocumentFonts> {
  loaded ??= readFonts();
  return loaded;
}

async function readFonts(): Promise<DocumentFonts> {
  const read = async (file: string): Promise<DocumentFont> => {
    const bytes = new Uint8Array(await readFile(resolve(file)));
    return readDocumentFont(file.endsWith(".woff") ? woffToTrueType(bytes) : bytes);
  };
  const [text, strong, title, mono, fallback] = await Promise.all([
    read(FILES.text),
    read(FILES.strong),
    read(FILES.title),
    read(FILES.mono),
    read(FILES.fallback),
  ]);
  return { text, strong, title, mono, fallback };
}
