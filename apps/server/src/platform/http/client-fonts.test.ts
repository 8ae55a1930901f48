import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientFontFaces } from "./client-fonts.ts";

test("names the built client's own fonts, and none where it is not built", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-fonts-"));
  try {
    expect(clientFontFaces(folder)).toBe("");
    await mkdir(join(folder, "assets"));
    for (const name of [
      "instrument-sans-latin-wght-normal-Bb_Z-1.woff2",
      "spectral-latin-500-normal-nN.woff2",
      "spectral-latin-ext-500-normal-x.woff2",
    ])
      await writeFile(join(folder, "assets", name), "");
    const faces = clientFontFaces(folder);
    expect(faces.match(/url\([^)]+\)/g)).toEqual([
      "url(/assets/instrument-sans-latin-wght-normal-Bb_Z-1.woff2)",
      "url(/assets/spectral-latin-500-normal-nN.woff2)",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
