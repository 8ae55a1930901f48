import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Fonts } from "@paraphe/pades";
import { woffToTrueType } from "./woff-to-true-type.ts";

const { resolve } = createRequire(import.meta.url);

/** Instrument Sans is the design's own; Noto Sans stands in for what it lacks: Vietnamese, Greek, Cyrillic. */
const FILES = {
  instrument: "@expo-google-fonts/instrument-sans/400Regular/InstrumentSans_400Regular.ttf",
  noto: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  caveat: "@expo-google-fonts/caveat/400Regular/Caveat_400Regular.ttf",
  aurore: "@expo-google-fonts/la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf",
  playwrite: "@fontsource/playwrite-fr-moderne/files/playwrite-fr-moderne-latin-400-normal.woff",
  muellerhoff: "@expo-google-fonts/herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf",
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

const bytesOf = async (file: string): Promise<Uint8Array> => new Uint8Array(await readFile(resolve(file)));

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
    hands: { caveat, "la-belle-aurore": aurore, "playwrite-fr-moderne": playwrite, "herr-von-muellerhoff": muellerhoff },
  };
}
