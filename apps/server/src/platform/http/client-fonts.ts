import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_FOLDER } from "./client-folder.ts";

/** The faces of a page that the client does not draw: its interface and its titles. */
const FACES = [
  { family: "Instrument Sans", weight: "400 700", file: /^instrument-sans-latin-wght-normal-[\w-]+\.woff2$/ },
  { family: "Spectral", weight: "500", file: /^spectral-latin-500-normal-[\w-]+\.woff2$/ },
] as const;

/** Gives the `@font-face` rules of the built client's fonts, whose names change with each build; none when it is not built: the system's fonts then. */
export function clientFontFaces(folder = CLIENT_FOLDER): string {
  const assets = join(folder, "assets");
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return FACES.flatMap(({ family, weight, file }) => {
    const name = names.find((candidate) => file.test(candidate));
    if (name === undefined) return [];
    return `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:url(/assets/${name}) format("woff2")}`;
  }).join("");
}
