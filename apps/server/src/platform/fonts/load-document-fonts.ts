import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import {
  type DocumentFont,
  type DocumentFonts,
  readDocumentFont,
} from "../pdf-document/create-typesetter.ts";
import { woffToTrueType } from "./load-fonts.ts";

const { resolve } = createRequire(import.meta.url);

/** Noto Sans covers Vietnamese, Greek and Cyrillic. */
const FILES: Readonly<Record<keyof DocumentFonts, string>> = {
  text: "@expo-google-fonts/instrument-sans/400Regular/InstrumentSans_400Regular.ttf",
  strong: "@expo-google-fonts/instrument-sans/600SemiBold/InstrumentSans_600SemiBold.ttf",
  title: "@fontsource/spectral/files/spectral-latin-500-normal.woff",
  mono: "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff",
  fallback: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
};

let loaded: Promise<DocumentFonts> | null = null;

export function loadDocumentFonts(): Promise<DocumentFonts> {
  loaded ??= readFonts();
  return loaded;
}

async function readFonts(): Promise<DocumentFonts> {
  const read = async (file: string): Promise<DocumentFont> => {
    const bytes = new Uint8Array(await readFile(resolve(file)));
    return readDocumentFont(file.endsWith(".woff") ? woffToTrueType(bytes) : bytes);
  };
  const [text, strong, title, mono, fallback] = await Promise.all([
    read(FILES.text),
    read(FILES.strong),
    read(FILES.title),
    read(FILES.mono),
    read(FILES.fallback),
  ]);
  return { text, strong, title, mono, fallback };
}
