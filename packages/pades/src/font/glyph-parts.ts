import type { TrueTypeFont } from "./true-type-font.ts";

/** Units: font units. */
export type GlyphBounds = readonly [left: number, bottom: number, right: number, top: number];

/** Gives the box of a glyph's ink, as its header has it; null for a blank one. Source: OpenType 1.9, `glyf`, "Glyph headers". */
export function glyphBounds(font: TrueTypeFont, glyph: number): GlyphBounds | null {
  const bytes = font.outlineBytes(glyph);
  if (bytes.length < 10) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [view.getInt16(2), view.getInt16(4), view.getInt16(6), view.getInt16(8)];
}

/** One piece of a composite glyph: where its description ends tells the subsetter where to look on. */
export type GlyphComponent = { readonly glyph: number; readonly glyphOffset: number };

/** Gives the components of a composite `glyf` entry. Source: OpenType 1.9, `glyf`, "Composite glyph description". */
export function glyphComponents(view: DataView): readonly GlyphComponent[] {
  const out: GlyphComponent[] = [];
  let more = true;
  for (let at = 10; more; ) {
    const flags = view.getUint16(at);
    const glyphOffset = at + 2;
    // The arguments as words or bytes, then a scale, two, or a matrix.
    at += flags & 1 ? 8 : 6;
    at += flags & 0x08 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;
    out.push({ glyph: view.getUint16(glyphOffset), glyphOffset });
    more = (flags & 0x20) !== 0;
  }
  return out;
}
