import { PadesError } from "../pades-error.ts";

/** Units: font units, `unitsPerEm` to the em. */
export type TrueTypeFont = {
  readonly postScriptName: string;
  readonly unitsPerEm: number;
  readonly ascent: number;
  readonly descent: number;
  readonly capHeight: number;
  readonly bounds: readonly [number, number, number, number];
  readonly italicAngle: number;
  readonly glyphCount: number;
  glyphOf(codePoint: number): number;
  advanceOf(glyph: number): number;
  leftSideBearingOf(glyph: number): number;
  outlineBytes(glyph: number): Uint8Array;
  table(tag: string): Uint8Array | null;
};

const CACHE = new WeakMap<Uint8Array, TrueTypeFont>();

/**
 * Parsed once for the same bytes.
 * Errors: TypeError for anything but TrueType with `glyf` outlines.
 * Source: OpenType 1.9, `glyf`, `cmap`.
 */
export function parseTrueType(bytes: Uint8Array): TrueTypeFont {
  const known = CACHE.get(bytes);
  if (known) return known;
  const font = read(bytes);
  CACHE.set(bytes, font);
  return font;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function read(bytes: Uint8Array): TrueTypeFont {
  const tables = readDirectory(bytes);
  const required = (tag: string): DataView => {
    const table = tables.get(tag);
    if (!table) throw new TypeError(`Expected a TrueType font with a ${tag} table`);
    return viewOf(table);
  };
  const [head, hhea, maxp, hmtx, loca] = ["head", "hhea", "maxp", "hmtx", "loca"].map(required) as [
    DataView,
    DataView,
    DataView,
    DataView,
    DataView,
  ];
  const glyf = tables.get("glyf");
  if (!glyf) throw new TypeError("Expected a TrueType font with glyf outlines");
  const [glyphCount, metricCount, longLoca] = [
    maxp.getUint16(4),
    hhea.getUint16(34),
    head.getInt16(50) === 1,
  ];
  const offsetOf = (glyph: number): number =>
    longLoca ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2;
  const os2 = tables.get("OS/2");
  const post = tables.get("post");
  const metricOf = (glyph: number): number => Math.min(glyph, metricCount - 1) * 4;
  return {
    postScriptName: postScriptName(tables.get("name")),
    unitsPerEm: head.getUint16(18),
    ascent: hhea.getInt16(4),
    descent: hhea.getInt16(6),
    capHeight: os2 && os2.length >= 90 ? viewOf(os2).getInt16(88) : hhea.getInt16(4),
    bounds: [head.getInt16(36), head.getInt16(38), head.getInt16(40), head.getInt16(42)],
    italicAngle: post ? viewOf(post).getInt32(4) / 65_536 : 0,
    glyphCount,
    glyphOf: characterMap(required("cmap")),
    advanceOf: (glyph) => hmtx.getUint16(metricOf(glyph)),
    leftSideBearingOf: (glyph) =>
      glyph < metricCount
        ? hmtx.getInt16(glyph * 4 + 2)
        : hmtx.getInt16(metricCount * 4 + (glyph - metricCount) * 2),
    outlineBytes: (glyph) =>
      glyph < glyphCount ? glyf.subarray(offsetOf(glyph), offsetOf(glyph + 1)) : new Uint8Array(),
    table: (tag) => tables.get(tag) ?? null,
  };
}

function readDirectory(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = viewOf(bytes);
  if (bytes.length < 12 || (view.getUint32(0) !== 0x0001_0000 && view.getUint32(0) !== 0x7472_7565))
    throw new TypeError("Expected a TrueType font");
  const tables = new Map<string, Uint8Array>();
  for (let index = 0; index < view.getUint16(4); index += 1) {
    const at = 12 + index * 16;
    const offset = view.getUint32(at + 8);
    tables.set(
      String.fromCharCode(...bytes.subarray(at, at + 4)),
      bytes.subarray(offset, offset + view.getUint32(at + 12)),
    );
  }
  return tables;
}

function characterMap(cmap: DataView): (codePoint: number) => number {
  const subtables: { format: number; at: number }[] = [];
  for (let index = 0; index < cmap.getUint16(2); index += 1) {
    const platform = cmap.getUint16(4 + index * 8);
    const at = cmap.getUint32(8 + index * 8);
    if (platform === 0 || platform === 3) subtables.push({ format: cmap.getUint16(at), at });
  }
  const wide = subtables.find(({ format }) => format === 12);
  const narrow = subtables.find(({ format }) => format === 4);
  if (wide) return (codePoint) => lookUpFormat12(cmap, wide.at, codePoint);
  if (narrow) return (codePoint) => lookUpFormat4(cmap, narrow.at, codePoint);
  throw new TypeError("Expected a font with a Unicode character map");
}

function lookUpFormat12(cmap: DataView, at: number, codePoint: number): number {
  let [low, high] = [0, cmap.getUint32(at + 12) - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const group = at + 16 + middle * 12;
    if (codePoint < cmap.getUint32(group)) high = middle - 1;
    else if (codePoint > cmap.getUint32(group + 4)) low = middle + 1;
    else return cmap.getUint32(group + 8) + codePoint - cmap.getUint32(group);
  }
  return 0;
}

function lookUpFormat4(cmap: DataView, at: number, codePoint: number): number {
  if (codePoint > 0xffff) return 0;
  const doubled = cmap.getUint16(at + 6);
  for (let index = 0; index < doubled; index += 2) {
    if (codePoint > cmap.getUint16(at + 14 + index)) continue;
    const start = cmap.getUint16(at + 16 + doubled + index);
    if (codePoint < start) return 0;
    const delta = cmap.getUint16(at + 16 + doubled * 2 + index);
    const rangeAt = at + 16 + doubled * 3 + index;
    const range = cmap.getUint16(rangeAt);
    if (range === 0) return (codePoint + delta) & 0xffff;
    const glyph = cmap.getUint16(rangeAt + range + (codePoint - start) * 2);
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

function postScriptName(table: Uint8Array | undefined): string {
  const view = table ? viewOf(table) : null;
  for (let index = 0; table && view && index < view.getUint16(2); index += 1) {
    const at = 6 + index * 12;
    if (view.getUint16(at + 6) !== 6) continue;
    const start = view.getUint16(4) + view.getUint16(at + 10);
    const name = String.fromCharCode(
      ...table
        .subarray(start, start + view.getUint16(at + 8))
        .filter((byte) => byte > 0x20 && byte < 0x7f),
    );
    return name.replace(/[^A-Za-z0-9-]/g, "");
  }
  return "Font";
}

export function unsupportedCharacter(codePoint: number): PadesError {
  const character = String.fromCodePoint(codePoint);
  return new PadesError(
    "unsupported_character",
    `Expected only characters with a glyph, met U+${codePoint.toString(16).padStart(4, "0")}`,
    { character },
  );
}

type GlyphBounds = readonly [left: number, bottom: number, right: number, top: number];

/** Null for a blank glyph. Source: OpenType 1.9, `glyf`, "Glyph headers". */
export function glyphBounds(font: TrueTypeFont, glyph: number): GlyphBounds | null {
  const bytes = font.outlineBytes(glyph);
  if (bytes.length < 10) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [view.getInt16(2), view.getInt16(4), view.getInt16(6), view.getInt16(8)];
}

type GlyphComponent = { readonly glyph: number; readonly glyphOffset: number };

/** Source: OpenType 1.9, `glyf`, "Composite glyph description". */
export function glyphComponents(view: DataView): readonly GlyphComponent[] {
  const out: GlyphComponent[] = [];
  let more = true;
  for (let at = 10; more; ) {
    const flags = view.getUint16(at);
    const glyphOffset = at + 2;
    // Two words or bytes, then a scale, two scales or a matrix.
    at += flags & 1 ? 8 : 6;
    at += flags & 0x08 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;
    out.push({ glyph: view.getUint16(glyphOffset), glyphOffset });
    more = (flags & 0x20) !== 0;
  }
  return out;
}
