import { type EnvelopeWarning, visibleText } from "@paraphe/contracts";
import type { EnvelopeField } from "./envelope.ts";

type Size = { readonly width: number; readonly height: number };
type Document = { readonly id: string; readonly pages: readonly Size[] };

/** Below this nobody reads a printed sentence. Units: points. */
const SMALLEST_READ = 5;
/** As the core prints a value: its largest size, between its margins, shrunk step by step until its lines fit. */
const LARGEST = 11;
const LEADING = 1.22;
const SHRINK = 0.94;
const MARGIN = 0.02;

/** Gives a warning for each mention whose sentence would be printed too small to be read in the place it has. */
export function smallMentions(envelope: {
  readonly documents: readonly Document[];
  readonly fields: readonly EnvelopeField[];
}): readonly EnvelopeWarning[] {
  const pages = new Map(envelope.documents.map((document) => [document.id, document.pages]));
  return envelope.fields.flatMap((field) => {
    const page = pages.get(field.documentId)?.[field.page - 1];
    const sentence = field.type === "mention" ? visibleText(field.value ?? "").trim() : "";
    if (sentence === "" || !page) return [];
    const place = { width: field.width * page.width, height: field.height * page.height };
    if (printedSize(sentence, place) >= SMALLEST_READ) return [];
    return [{ code: "mention_too_small" as const, field_id: field.id, document_id: field.documentId, page: field.page }];
  });
}

/** The size that the sentence takes in its place, or the first one that is too small. */
function printedSize(sentence: string, place: Size): number {
  const words = sentence.split(/\s+/u).map(widthOf);
  const margin = 2 * MARGIN * Math.min(place.width, place.height);
  const [width, height] = [place.width - margin, place.height - margin];
  let size = Math.min(LARGEST, place.height * 0.78);
  while (size >= SMALLEST_READ) {
    const lines = linesOf(words, width / size);
    if (lines !== null && lines * size * LEADING <= height + 0.01) return size;
    size *= SHRINK;
  }
  return size;
}

/** How many lines the words make; null when one of them is wider than a line. Units: the em. */
function linesOf(words: readonly number[], room: number): number | null {
  let [lines, used] = [1, 0];
  for (const word of words) {
    if (word > room) return null;
    const longer = used === 0 ? word : used + SPACE + word;
    if (longer > room) lines += 1;
    used = longer > room ? word : longer;
  }
  return lines;
}

const SPACE = 0.2;

/** Shape: the widths of Instrument Sans, a mean for each family of characters; a sentence is within some hundredths of it. Units: the em. */
function widthOf(word: string): number {
  let width = 0;
  for (const character of word) {
    if (/[fijlt.,;:!?'’]/u.test(character)) width += 0.29;
    else if (/[mwMW]/u.test(character)) width += 0.85;
    else width += /\p{Lu}/u.test(character) ? 0.7 : 0.54;
  }
  return width;
}
