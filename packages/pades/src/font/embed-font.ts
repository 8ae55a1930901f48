import { deflate as deflateStream } from "../pdf/inflated-length.ts";
import { type IncrementalUpdate, latinBytes } from "../pdf/incremental-update.ts";
import type { Deflate } from "../ports.ts";
import type { FontSubset } from "./subset-font.ts";
import { digest } from "../cryptography/cryptography.ts";

/** A subset ready to write: its streams are deflated once for every file. */
export type PackedSubset = {
  readonly subset: FontSubset;
  /** `/BaseFont`: the tag derives from the content, so a later revision recognises the subset. */
  readonly baseFont: string;
  readonly program: Uint8Array;
  readonly toUnicode: Uint8Array;
};

/** Packs a subset. Source: ISO 32000-2 §9.9.2 (the tag), §9.10.3 (ToUnicode). */
export async function packSubset(
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

/**
 * Writes the five objects of a composite font; gives the Type0 dictionary's number.
 * Source: ISO 32000-2 §9.7.
 */
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
