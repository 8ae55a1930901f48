import { concatBytes } from "../asn1/der-writer.ts";
import { digest } from "../cryptography.ts";
import { deflate as deflateStream } from "../pdf/deflate.ts";
import { type IncrementalUpdate, latinBytes } from "../pdf/incremental-update.ts";
import type { Fonts } from "../pdf/types.ts";
import type { Deflate } from "../ports.ts";
import {
  type TrueTypeFont,
  glyphComponents,
  parseTrueType,
  unsupportedCharacter,
} from "./true-type-font.ts";

/** The shared font of a prepared file covers Windows-1252. */
const BASE_CODE_POINTS: readonly number[] = [
  ...Array.from({ length: 95 }, (_, index) => 0x20 + index),
  ...Array.from({ length: 96 }, (_, index) => 0xa0 + index),
  ...[..."ŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™"].map((character) => character.codePointAt(0) ?? 0),
];

const BASE = new WeakMap<Uint8Array, Promise<PackedSubset>>();

export function baseSubset(fonts: Fonts): Promise<PackedSubset> {
  const bytes = fonts.text[0];
  if (!bytes) throw new TypeError("Expected at least one text font");
  const known = BASE.get(bytes);
  if (known) return known;
  const made = packSubset(subsetFont(parseTrueType(bytes), BASE_CODE_POINTS));
  BASE.set(bytes, made);
  return made;
}

/** Composes letters and uses plain spaces and hyphens. */
export function drawableText(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\t\u00a0\u2000-\u200a\u202f\u205f]/g, " ")
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "");
}

export type TextRun = { readonly resource: string; readonly hex: string };

/** Units: thousandths of the em. */
export type TextFonts = {
  /** Errors: `unsupported_character`. */
  widthOf(text: string): number;
  runsOf(text: string): readonly TextRun[];
  readonly resources: string;
};

/**
 * Embeds what the file's shared font (`shared`) does not cover.
 * Errors: `unsupported_character`, with the character, before anything is written.
 */
export async function embedTextFonts(
  update: IncrementalUpdate,
  request: {
    fonts: Pick<Fonts, "text">;
    texts: readonly string[];
    shared: { reference: string; packed: PackedSubset } | null;
    resource?: string;
  },
): Promise<TextFonts> {
  const { shared, resource = "PsX" } = request;
  const used: { resource: string; subset: FontSubset }[] = shared
    ? [{ resource: "PsF", subset: shared.packed.subset }]
    : [];
  const references = shared ? [`/PsF ${shared.reference}`] : [];
  for (const [index, group] of groupByFont(request, shared?.packed.subset).entries()) {
    const subset = subsetFont(group.font, group.codePoints);
    used.push({ resource: `${resource}${index}`, subset });
    references.push(
      `/${resource}${index} ${await embedFont(update, await packSubset(subset, update.deflate))} 0 R`,
    );
  }
  const find = (codePoint: number): { resource: string; subset: FontSubset } => {
    const found = used.find(({ subset }) => subset.glyphs.has(codePoint));
    if (!found) throw unsupportedCharacter(codePoint);
    return found;
  };
  const [widths, runs] = [new Map<string, number>(), new Map<string, readonly TextRun[]>()];
  const codePointsOf = (text: string): number[] =>
    Array.from(drawableText(text), (character) => character.codePointAt(0) ?? 0);
  return {
    resources: references.join(""),
    // Every size and line break measures again, so widths are remembered.
    widthOf: (text) =>
      remembered(widths, text, () =>
        codePointsOf(text).reduce(
          (sum, codePoint) => sum + widthIn(find(codePoint).subset, codePoint),
          0,
        ),
      ),
    runsOf: (text) => remembered(runs, text, () => splitRuns(codePointsOf(text), find)),
  };
}

function remembered<T>(known: Map<string, T>, text: string, make: () => T): T {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made = make();
  known.set(text, made);
  return made;
}

function splitRuns(
  codePoints: readonly number[],
  find: (codePoint: number) => { resource: string; subset: FontSubset },
): readonly TextRun[] {
  const runs: { resource: string; hex: string }[] = [];
  for (const codePoint of codePoints) {
    const { resource, subset } = find(codePoint);
    const hex = (subset.glyphs.get(codePoint) ?? 0).toString(16).padStart(4, "0");
    const last = runs.at(-1);
    if (last?.resource === resource) last.hex += hex;
    else runs.push({ resource, hex });
  }
  return runs;
}

const widthIn = (subset: FontSubset, codePoint: number): number =>
  subset.widths[subset.glyphs.get(codePoint) ?? 0] ?? 0;

function groupByFont(
  request: { fonts: Pick<Fonts, "text">; texts: readonly string[] },
  shared: FontSubset | undefined,
): { font: TrueTypeFont; codePoints: Set<number> }[] {
  const groups = new Map<TrueTypeFont, Set<number>>();
  for (const character of drawableText(request.texts.join(""))) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint === 0x0a || codePoint === 0x0d || shared?.glyphs.has(codePoint)) continue;
    const font = request.fonts.text
      .map(parseTrueType)
      .find((candidate) => candidate.glyphOf(codePoint) !== 0);
    if (!font) throw unsupportedCharacter(codePoint);
    const group = groups.get(font) ?? new Set();
    groups.set(font, group.add(codePoint));
  }
  return [...groups].map(([font, codePoints]) => ({ font, codePoints }));
}

export function missingCharacter(text: string, fonts: readonly Uint8Array[]): string | null {
  const candidates = fonts.map(parseTrueType);
  const characters = drawableText(text).replace(/[\r\n]/g, "");
  return (
    Array.from(characters).find((character) =>
      candidates.every((font) => font.glyphOf(character.codePointAt(0) ?? 0) === 0),
    ) ?? null
  );
}

/** A subset whose streams are deflated once for every file. */
export type PackedSubset = {
  readonly subset: FontSubset;
  /** The tag derives from the content: a later revision recognises the subset. */
  readonly baseFont: string;
  readonly program: Uint8Array;
  readonly toUnicode: Uint8Array;
};

/** Source: ISO 32000-2 §9.9.2 (the tag), §9.10.3 (ToUnicode). */
async function packSubset(
  subset: FontSubset,
  deflate: Deflate = deflateStream,
): Promise<PackedSubset> {
  const found = await digest("SHA-256", subset.program);
  const tag = String.fromCharCode(...found.subarray(0, 6).map((byte) => 65 + (byte % 26)));
  const [program, toUnicode] = await Promise.all([
    deflate(subset.program),
    deflate(latinBytes(toUnicodeMap(subset))),
  ]);
  return { subset, baseFont: `${tag}+${subset.font.postScriptName}`, program, toUnicode };
}

/** Gives the Type0 dictionary's number. Source: ISO 32000-2 §9.7. */
export async function embedFont(update: IncrementalUpdate, packed: PackedSubset): Promise<number> {
  const { subset, baseFont } = packed;
  const { font } = subset;
  const scale = (value: number): number => Math.round((value * 1000) / font.unitsPerEm);
  const [type0, cid, descriptor, file, unicode] = [0, 1, 2, 3, 4].map(() => update.allocate()) as [
    number,
    number,
    number,
    number,
    number,
  ];
  update.put(
    type0,
    `<</Type/Font/Subtype/Type0/BaseFont/${baseFont}/Encoding/Identity-H/DescendantFonts[${cid} 0 R]/ToUnicode ${unicode} 0 R>>`,
  );
  update.put(
    cid,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${baseFont}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${descriptor} 0 R/CIDToGIDMap/Identity/DW 0/W[0[${subset.widths.join(" ")}]]>>`,
  );
  update.put(
    descriptor,
    // Flags 32: non-symbolic. Source: ISO 32000-2 §9.8.2.
    `<</Type/FontDescriptor/FontName/${baseFont}/Flags 32/FontBBox[${font.bounds.map(scale).join(" ")}]/ItalicAngle ${Math.round(font.italicAngle)}/Ascent ${scale(font.ascent)}/Descent ${scale(font.descent)}/CapHeight ${scale(font.capHeight)}/StemV 80/FontFile2 ${file} 0 R>>`,
  );
  update.putPacked(file, `/Length1 ${subset.program.length}`, packed.program);
  update.putPacked(unicode, "", packed.toUnicode);
  return type0;
}

function toUnicodeMap(subset: FontSubset): string {
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, "0");
  const utf16 = (codePoint: number): string =>
    Array.from(String.fromCodePoint(codePoint).split(""), (unit) => hex(unit.charCodeAt(0))).join(
      "",
    );
  const first = new Map<number, number>();
  for (const [codePoint, glyph] of subset.glyphs)
    if (!first.has(glyph)) first.set(glyph, codePoint);
  const lines = [...first].map(([glyph, codePoint]) => `<${hex(glyph)}> <${utf16(codePoint)}>`);
  let body = "";
  for (let index = 0; index < lines.length; index += 100) {
    const block = lines.slice(index, index + 100);
    body += `${block.length} beginbfchar\n${block.join("\n")}\nendbfchar\n`;
  }
  return `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo <</Registry(Adobe)/Ordering(UCS)/Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n${body}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n`;
}

/** Glyphs are renumbered from 0 (`.notdef`). Units of `widths`: thousandths of the em. */
type FontSubset = {
  readonly font: TrueTypeFont;
  /** Code point → glyph number, the CID of content streams. */
  readonly glyphs: ReadonlyMap<number, number>;
  readonly widths: readonly number[];
  readonly program: Uint8Array;
};

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Drops hinting and all other glyphs. Source: ISO 32000-2 §9.9.2. */
export function subsetFont(font: TrueTypeFont, codePoints: Iterable<number>): FontSubset {
  const order: number[] = [0];
  const numbers = new Map<number, number>([[0, 0]]);
  const include = (glyph: number): number => {
    const known = numbers.get(glyph);
    if (known !== undefined) return known;
    numbers.set(glyph, order.length);
    return order.push(glyph) - 1;
  };
  const glyphs = new Map<number, number>();
  for (const codePoint of codePoints) {
    const glyph = font.glyphOf(codePoint);
    if (glyph !== 0) glyphs.set(codePoint, include(glyph));
  }
  const outlines: Uint8Array[] = [];
  for (let index = 0; index < order.length; index += 1)
    outlines.push(renumbered(font.outlineBytes(order[index] ?? 0), include));
  const widths = order.map((glyph) => Math.round((font.advanceOf(glyph) * 1000) / font.unitsPerEm));
  return { font, glyphs, widths, program: buildProgram(font, order, outlines) };
}

function renumbered(outline: Uint8Array, include: (glyph: number) => number): Uint8Array {
  if (outline.length < 10 || viewOf(outline).getInt16(0) >= 0) return outline;
  const copy = outline.slice();
  const view = viewOf(copy);
  for (const { glyph, glyphOffset } of glyphComponents(view))
    view.setUint16(glyphOffset, include(glyph));
  return copy;
}

function buildProgram(
  font: TrueTypeFont,
  order: readonly number[],
  outlines: readonly Uint8Array[],
): Uint8Array {
  const loca = new Uint8Array((order.length + 1) * 4);
  const hmtx = new Uint8Array(order.length * 4);
  const [locaView, hmtxView] = [viewOf(loca), viewOf(hmtx)];
  const padded = outlines.map((outline) =>
    outline.length % 4 ? concatBytes([outline, new Uint8Array(4 - (outline.length % 4))]) : outline,
  );
  let offset = 0;
  for (const [index, outline] of padded.entries()) {
    offset += outline.length;
    locaView.setUint32((index + 1) * 4, offset);
    hmtxView.setUint16(index * 4, font.advanceOf(order[index] ?? 0));
    hmtxView.setInt16(index * 4 + 2, font.leftSideBearingOf(order[index] ?? 0));
  }
  const patched = (tag: string, edits: (view: DataView) => void): Uint8Array => {
    const copy = (font.table(tag) ?? new Uint8Array(54)).slice();
    edits(viewOf(copy));
    return copy;
  };
  const head = patched("head", (view) => view.setInt16(50, 1));
  const hhea = patched("hhea", (view) => view.setUint16(34, order.length));
  const maxp = patched("maxp", (view) => view.setUint16(4, order.length));
  return fontFile([
    ["glyf", concatBytes(padded)],
    ["head", head],
    ["hhea", hhea],
    ["hmtx", hmtx],
    ["loca", loca],
    ["maxp", maxp],
  ]);
}

/** Source: OpenType 1.9, "Table directory". */
function fontFile(tables: readonly (readonly [tag: string, data: Uint8Array])[]): Uint8Array {
  const directory = new Uint8Array(12 + tables.length * 16);
  const view = viewOf(directory);
  const power = Math.floor(Math.log2(tables.length));
  view.setUint32(0, 0x0001_0000);
  for (const [index, value] of [
    tables.length,
    16 << power,
    power,
    tables.length * 16 - (16 << power),
  ].entries())
    view.setUint16(4 + index * 2, value);
  const parts: Uint8Array[] = [directory];
  let offset = directory.length;
  for (const [index, [tag, data]] of tables.entries()) {
    const at = 12 + index * 16;
    for (let letter = 0; letter < 4; letter += 1)
      view.setUint8(at + letter, tag.charCodeAt(letter));
    view.setUint32(at + 4, checksum(data));
    view.setUint32(at + 8, offset);
    view.setUint32(at + 12, data.length);
    const padding = (4 - (data.length % 4)) % 4;
    parts.push(data, new Uint8Array(padding));
    offset += data.length + padding;
  }
  return concatBytes(parts);
}

function checksum(data: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < data.length; index += 4) {
    const word =
      ((data[index] ?? 0) << 24) |
      ((data[index + 1] ?? 0) << 16) |
      ((data[index + 2] ?? 0) << 8) |
      (data[index + 3] ?? 0);
    sum = (sum + word) >>> 0;
  }
  return sum;
}
