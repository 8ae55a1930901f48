import { create, type Font } from "fontkit";
import { type FontCoverage, readFontCoverage } from "./read-font-coverage.ts";

/** A TrueType program that documents are written with. */
export type DocumentFont = {
  readonly coverage: FontCoverage;
  /** Gives the font for one document. */
  open(): Font;
};

/**
 * Reads a font for many documents: decoding its tables takes longer than writing a document does, so they are decoded once.
 * Each document has its own glyphs, for these remember the characters that they were asked for.
 */
export function readDocumentFont(bytes: Uint8Array): DocumentFont {
  const { _tables } = create(bytes);
  return { coverage: readFontCoverage(bytes), open: () => Object.assign(create(bytes), { _tables }) };
}
