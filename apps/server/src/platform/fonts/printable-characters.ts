import type { Hand } from "@paraphe/contracts";
import { loadFonts } from "./load-fonts.ts";
import { type FontCoverage, readFontCoverage } from "./read-font-coverage.ts";

/** Tells what the fonts of the documents can draw. */
export type PrintableCharacters = {
  /** Gives the first character of a printed text that no font can draw, or null: sealing such a text would never succeed. */
  firstMissing(text: string): string | null;
  /** The same of a mark typed in this hand. */
  firstMissingInHand(text: string, hand: Hand): string | null;
};

let loaded: Promise<PrintableCharacters> | null = null;

/** Gives what the fonts can draw; their tables are read once for the process. */
export function loadPrintableCharacters(): Promise<PrintableCharacters> {
  loaded ??= read();
  return loaded;
}

async function read(): Promise<PrintableCharacters> {
  const fonts = await loadFonts();
  const text = fonts.text.map(readFontCoverage);
  const hands = new Map<Hand, FontCoverage>();
  return {
    firstMissing: (printed) => firstMissing(printed, text),
    firstMissingInHand: (printed, hand) => {
      const coverage = hands.get(hand) ?? readFontCoverage(fonts.hands[hand]);
      hands.set(hand, coverage);
      return firstMissing(printed, [coverage, ...text]);
    },
  };
}

/** Spaces, hyphens and joiners that the core draws as a plain one, or not at all; line ends. */
const DRAWN_OTHERWISE = /[\t\n\r \u00a0\u00ad\u2000-\u2011\u202f\u205f\u2060\ufeff]/u;

function firstMissing(text: string, fonts: readonly FontCoverage[]): string | null {
  for (const character of text.normalize("NFC")) {
    if (
      !DRAWN_OTHERWISE.test(character) &&
      !fonts.some((font) => font.has(character.codePointAt(0) as number))
    )
      return character;
  }
  return null;
}
