import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Fonts } from "@paraphe/pades";

const { resolve } = createRequire(import.meta.url);

/** The caller brings the fonts: TrueType files with outlines. */
export async function readDemoFonts(): Promise<Fonts> {
  const read = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await readFile(resolve(`@expo-google-fonts/${path}`)));
  const [text, caveat, aurore, muellerhoff] = await Promise.all([
    read("instrument-sans/400Regular/InstrumentSans_400Regular.ttf"),
    read("caveat/400Regular/Caveat_400Regular.ttf"),
    read("la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf"),
    read("herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf"),
  ]);
  const hands = {
    caveat,
    "la-belle-aurore": aurore,
    "playwrite-fr-moderne": caveat,
    "herr-von-muellerhoff": muellerhoff,
  };
  return { text: [text], hands };
}
