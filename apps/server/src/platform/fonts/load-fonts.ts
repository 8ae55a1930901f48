import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import type { Fonts } from "@paraphe/pades";
import type { Hand } from "@paraphe/contracts";

/**
 * Errors: TypeError unless WOFF.
 * Source: W3C WOFF 1.0 §3 to §5.
 */
export function woffToTrueType(woff: Uint8Array): Uint8Array {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  if (woff.length < 44 || view.getUint32(0) !== 0x774f_4646)
    throw new TypeError("Expected a WOFF 1.0 font");
  const count = view.getUint16(12);
  const tables = Array.from({ length: count }, (_, index) =>
    readTable(woff, view, 44 + index * 20),
  );
  const size = 12 + count * 16 + tables.reduce((sum, { data }) => sum + padded(data.length), 0);
  const out = new Uint8Array(size);
  const target = new DataView(out.buffer);
  const power = Math.floor(Math.log2(count));
  target.setUint32(0, view.getUint32(4));
  for (const [index, value] of [count, 16 << power, power, count * 16 - (16 << power)].entries())
    target.setUint16(4 + index * 2, value);
  let offset = 12 + count * 16;
  for (const [index, { tag, checksum, data }] of tables.entries()) {
    for (const [word, value] of [tag, checksum, offset, data.length].entries())
      target.setUint32(12 + index * 16 + word * 4, value);
    out.set(data, offset);
    offset += padded(data.length);
  }
  return out;
}

const padded = (length: number): number => (length + 3) & ~3;

function readTable(
  woff: Uint8Array,
  view: DataView,
  at: number,
): { tag: number; checksum: number; data: Uint8Array } {
  const [tag, offset, stored, original, checksum] = [0, 4, 8, 12, 16].map((part) =>
    view.getUint32(at + part),
  ) as [number, number, number, number, number];
  const bytes = woff.subarray(offset, offset + stored);
  return {
    tag,
    checksum,
    data:
      stored < original ? new Uint8Array(inflateSync(bytes, { maxOutputLength: original })) : bytes,
  };
}

const { resolve } = createRequire(import.meta.url);

const FILES = {
  instrument: "@expo-google-fonts/instrument-sans/400Regular/InstrumentSans_400Regular.ttf",
  noto: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  caveat: "@expo-google-fonts/caveat/400Regular/Caveat_400Regular.ttf",
  aurore: "@expo-google-fonts/la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf",
  playwrite: "@fontsource/playwrite-fr-moderne/files/playwrite-fr-moderne-latin-400-normal.woff",
  muellerhoff:
    "@expo-google-fonts/herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf",
} as const;

const TITLE = "@fontsource/spectral/files/spectral-latin-500-normal.woff";

let loaded: Promise<Fonts> | null = null;
let title: Promise<Uint8Array> | null = null;

export function loadFonts(): Promise<Fonts> {
  loaded ??= readFonts();
  return loaded;
}

/** The text's font draws what this one lacks. */
export function loadTitleFont(): Promise<Uint8Array> {
  title ??= bytesOf(TITLE).then(woffToTrueType);
  return title;
}

const bytesOf = async (file: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(resolve(file)));

async function readFonts(): Promise<Fonts> {
  const [instrument, noto, caveat, aurore, playwrite, muellerhoff] = await Promise.all([
    bytesOf(FILES.instrument),
    bytesOf(FILES.noto),
    bytesOf(FILES.caveat),
    bytesOf(FILES.aurore),
    bytesOf(FILES.playwrite).then(woffToTrueType),
    bytesOf(FILES.muellerhoff),
  ]);
  return {
    text: [instrument, noto],
    hands: {
      caveat,
      "la-belle-aurore": aurore,
      "playwrite-fr-moderne": playwrite,
      "herr-von-muellerhoff": muellerhoff,
    },
  };
}

export type FontCoverage = { has(codePoint: number): boolean };

const UNICODE_FULL = new Set(["3:10", "0:4", "0:6"]);
const UNICODE_BMP = new Set(["3:1", "0:3"]);
const CMAP = 0x636d6170;

/**
 * Errors: throws on an unknown Unicode table: a faulty installation.
 * Source: OpenType 1.9.1, 'cmap', formats 4 and 12.
 */
export function readFontCoverage(font: Uint8Array): FontCoverage {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const cmap = tableOffset(view, CMAP);
  const subtables = Array.from({ length: view.getUint16(cmap + 2) }, (_, index) => {
    const record = cmap + 4 + index * 8;
    return {
      kind: `${view.getUint16(record)}:${view.getUint16(record + 2)}`,
      offset: cmap + view.getUint32(record + 4),
    };
  });
  const chosen =
    subtables.find(({ kind }) => UNICODE_FULL.has(kind)) ??
    subtables.find(({ kind }) => UNICODE_BMP.has(kind));
  const format = chosen === undefined ? 0 : view.getUint16(chosen.offset);
  if (chosen === undefined || (format !== 4 && format !== 12))
    throw new Error(`Expected a font with a Unicode cmap of format 4 or 12, met format ${format}`);
  const covered =
    format === 12 ? readFormat12(view, chosen.offset) : readFormat4(view, chosen.offset);
  return { has: (codePoint) => covered.has(codePoint) };
}

function tableOffset(view: DataView, tag: number): number {
  for (let index = 0; index < view.getUint16(4); index++) {
    const record = 12 + index * 16;
    if (view.getUint32(record) === tag) return view.getUint32(record + 8);
  }
  throw new Error("Expected a font with a cmap table");
}

function readFormat12(view: DataView, offset: number): ReadonlySet<number> {
  const covered = new Set<number>();
  for (let group = 0; group < view.getUint32(offset + 12); group++) {
    const at = offset + 16 + group * 12;
    const [start, end, glyph] = [
      view.getUint32(at),
      view.getUint32(at + 4),
      view.getUint32(at + 8),
    ];
    for (let codePoint = start; codePoint <= end; codePoint++)
      if (glyph + codePoint - start !== 0) covered.add(codePoint);
  }
  return covered;
}

function readFormat4(view: DataView, offset: number): ReadonlySet<number> {
  const covered = new Set<number>();
  const segments = view.getUint16(offset + 6) / 2;
  const ends = offset + 14;
  const starts = ends + segments * 2 + 2;
  const deltas = starts + segments * 2;
  const ranges = deltas + segments * 2;
  for (let segment = 0; segment < segments; segment++) {
    const [start, end] = [view.getUint16(starts + segment * 2), view.getUint16(ends + segment * 2)];
    const delta = view.getUint16(deltas + segment * 2);
    const rangeAt = ranges + segment * 2;
    const range = view.getUint16(rangeAt);
    for (let codePoint = start; codePoint <= end && codePoint !== 0xffff; codePoint++) {
      // The offset counts from its own place.
      const raw =
        range === 0 ? codePoint : view.getUint16(rangeAt + range + (codePoint - start) * 2);
      const glyph = range !== 0 && raw === 0 ? 0 : (raw + delta) & 0xffff;
      if (glyph !== 0) covered.add(codePoint);
    }
  }
  return covered;
}

export type PrintableCharacters = {
  /** Gives the first character that no font draws, or null: such a text could never be sealed. */
  firstMissing(text: string): string | null;
  firstMissingInHand(text: string, hand: Hand): string | null;
};

let printable: Promise<PrintableCharacters> | null = null;

export function loadPrintableCharacters(): Promise<PrintableCharacters> {
  printable ??= readPrintable();
  return printable;
}

async function readPrintable(): Promise<PrintableCharacters> {
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
