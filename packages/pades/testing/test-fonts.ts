import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Fonts } from "../src/pdf/types.ts";

const { resolve } = createRequire(import.meta.url);
const font = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(resolve(`@expo-google-fonts/${path}`)));

const caveat = font("caveat/400Regular/Caveat_400Regular.ttf");

/** The product's text fonts; Caveat stands for every hand. */
export const TEST_FONTS: Fonts = {
  text: [
    font("instrument-sans/400Regular/InstrumentSans_400Regular.ttf"),
    font("noto-sans/400Regular/NotoSans_400Regular.ttf"),
  ],
  hands: {
    caveat,
    "la-belle-aurore": font("la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf"),
    "playwrite-fr-moderne": caveat,
    "herr-von-muellerhoff": font(
      "herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf",
    ),
  },
};
