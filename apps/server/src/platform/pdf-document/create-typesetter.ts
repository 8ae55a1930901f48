import { plainText } from "@paraphe/contracts/plain-text";
import type PDFDocument from "pdfkit";
import { type FontCoverage, readFontCoverage } from "../fonts/read-font-coverage.ts";
import type { Face } from "./document-model.ts";

/** TrueType programs. `fallback` draws what a face has no letter for. */
export type DocumentFonts = Readonly<Record<Face | "fallback", Uint8Array>>;

export type TextStyle = { readonly face: Face; readonly size: number; readonly colour: string };

/** Sets text in the document's faces. Units: points; `y` is that of the baseline, from the top of the page. */
export type Typesetter = {
  /** Gives the lines that a text takes in this width. */
  lines(text: string, style: TextStyle, width: number): readonly string[];
  draw(line: string, style: TextStyle, at: { readonly x: number; readonly y: number }): void;
  widthOf(text: string, style: TextStyle): number;
};

type Run = { readonly font: Face | "fallback"; readonly text: string };

/** Gives the typesetter of a document, its fonts registered; only the letters used are embedded. */
export function createTypesetter(doc: PDFDocument, fonts: DocumentFonts): Typesetter {
  const coverage = new Map<string, FontCoverage>();
  for (const [name, bytes] of Object.entries(fonts)) {
    doc.registerFont(name, bytes);
    coverage.set(name, readFontCoverage(bytes));
  }
  const runsOf = (text: string, face: Face): readonly Run[] => {
    const runs: { font: Run["font"]; text: string }[] = [];
    for (const character of plainText(text)) {
      const run = runOf(character, face, coverage);
      const last = runs.at(-1);
      if (last?.font === run.font) last.text += run.text;
      else runs.push({ ...run });
    }
    return runs;
  };
  const measure = ({ font, text }: Run, size: number): number => doc.font(font).fontSize(size).widthOfString(text);
  const widthOf = (text: string, { face, size }: TextStyle): number =>
    runsOf(text, face).reduce((width, run) => width + measure(run, size), 0);
  return {
    widthOf,
    lines: (text, style, width) => breakLines(text, (part) => widthOf(part, style) <= width),
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

/** What no font here has a letter for is written by its number: never an empty box, never nothing. */
function runOf(character: string, face: Face, coverage: ReadonlyMap<string, FontCoverage>): Run {
  const code = character.codePointAt(0) ?? 0;
  if (coverage.get(face)?.has(code)) return { font: face, text: character };
  if (coverage.get("fallback")?.has(code)) return { font: "fallback", text: character };
  return { font: face, text: `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]` };
}

/** Breaks at ordinary spaces alone: a non-breaking one is there to hold. A word longer than the line is cut where it is full. */
function breakLines(text: string, fits: (part: string) => boolean): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (!fits(line)) {
      const head = longestStart(line, fits);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return [...lines, line];
}

/** The longest start of a word that fits, one character at least; by halves, for words may be long. */
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
