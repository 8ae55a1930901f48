import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import type { Fonts } from "@paraphe/pades";

/**
 * Gives the TrueType file that a WOFF 1.0 file wraps.
 * Errors: TypeError when it is not WOFF.
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

/** Instrument Sans is the design's own; Noto Sans stands in for what it lacks: Vietnamese, Greek, Cyrillic. */
const FILES = {
  instrument: "@expo-google-fonts/instrument-sans/400Regular/InstrumentSans_400Regular.ttf",
  noto: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  caveat: "@expo-google-fonts/caveat/400Regular/Caveat_400Regular.ttf",
  aurore: "@expo-google-fonts/la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf",
  playwrite: "@fontsource/playwrite-fr-moderne/files/playwrite-fr-moderne-latin-400-normal.woff",
  muellerhoff:
    "@expo-google-fonts/herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf",
} as const;

/** Spectral is the design's for titles. */
const TITLE = "@fontsource/spectral/files/spectral-latin-500-normal.woff";

let loaded: Promise<Fonts> | null = null;

/** Gives the fonts of the signature's appearance; they are read once for the process. */
export function loadFonts(): Promise<Fonts> {
  loaded ??= readFonts();
  return loaded;
}

/** Gives the font of headings; what it lacks is drawn in the text's. */
export function loadTitleFont(): Promise<Uint8Array> {
  return bytesOf(TITLE).then(woffToTrueType);
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
