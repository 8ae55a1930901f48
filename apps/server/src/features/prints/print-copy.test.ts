import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { makePdf } from "../../../testing/pdf.ts";
import { missingRenderer, type Picture, renderPage } from "../../../testing/render-pdf.ts";
import { cropPicture, readCodes, scanPicture } from "../../../testing/scan-picture.ts";
import { createPdfSandbox } from "../../platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { AddedPage } from "./domain/marks.ts";
import { drawCodes } from "./draw-codes.ts";
import { printCopy } from "./print-copy.ts";

const CORPUS = fileURLToPath(new URL("../../../../../../shared/corpus", import.meta.url));
const ADDRESS = `https://sign.exemple.fr/verify/019aa000-0000-7000-8000-00000000abcd?sig=${"aB3-_".repeat(9).slice(0, 43)}#${"Zz9_-".repeat(25).slice(0, 122)}`;
const ADDED: AddedPage = {
  width: 595.28,
  height: 841.89,
  codes: [],
  texts: [{ lines: ["Page de preuve"], frame: { x: 60, y: 60, width: 300, height: 30 }, size: 20 }],
};
const missing = missingRenderer();
const sandbox = createPdfSandbox({ size: 1 });
afterAll(() => sandbox.close());

const addressOf = (pageNumber: number) => ADDRESS.slice(0, -1) + String.fromCharCode(65 + (pageNumber % 26));

/** Copies a file with a code on each of its first pages. */
async function copy(
  bytes: Uint8Array,
  { most = 3 } = {},
): Promise<{ readonly source: Uint8Array; readonly made: Uint8Array; readonly count: number }> {
  let source = bytes;
  let seen = await sandbox.call("inspect", source);
  if (seen.result !== "ok") {
    source = await sandbox.call("normalise", source);
    seen = await sandbox.call("inspect", source);
  }
  const shown = seen.pages.slice(0, most);
  const codes = await drawCodes(
    sandbox,
    shown.map((_, index) => addressOf(index + 1)),
  );
  const made = await printCopy(sandbox, source, {
    title: "Copie à imprimer",
    pages: shown.map(({ width, height }, index) => ({ pageNumber: index + 1, width, height, code: codes[index] ?? null })),
    captions: { domain: "sign.exemple.fr", pageCount: seen.pageCount },
    addsPage: false,
    addedPage: async () => ADDED,
  });
  return { source, made, count: shown.length };
}

const isPaper = ({ pixels }: Picture, index: number) => [0, 1, 2].every((channel) => (pixels[index * 3 + channel] ?? 0) >= 245);
const inkOf = (picture: Picture) => Array.from({ length: picture.width * picture.height }, (_, index) => !isPaper(picture, index));

/** How many pixels that had ink look different, and how many that were paper have ink now. */
function compare(before: Picture, after: Picture): { readonly covered: number; readonly added: number } {
  const found = { covered: 0, added: 0 };
  for (let index = 0; index < before.width * before.height; index += 1) {
    const isSame = [0, 1, 2].every(
      (channel) => Math.abs((before.pixels[index * 3 + channel] ?? 0) - (after.pixels[index * 3 + channel] ?? 0)) <= 24,
    );
    if (isSame) continue;
    if (isPaper(before, index)) found.added += 1;
    else found.covered += 1;
  }
  return found;
}

/** The box of a picture's ink, in fractions of the page. */
function boxOfInk(picture: Picture): readonly [number, number, number, number] {
  const ink = inkOf(picture).flatMap((has, index) => (has ? [index] : []));
  const columns = ink.map((index) => index % picture.width);
  const rows = ink.map((index) => Math.floor(index / picture.width));
  const of = (values: readonly number[], pick: (a: number, b: number) => number) => values.reduce((best, value) => pick(best, value));
  return [
    of(columns, Math.min) / picture.width,
    of(rows, Math.min) / picture.height,
    of(columns, Math.max) / picture.width,
    of(rows, Math.max) / picture.height,
  ];
}

/** Pages that were made smaller are clipped; how many, of those looked at. */
const clipsOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("latin1")
    .match(/ cm [-\d. ]+ re W n/g)?.length ?? 0;

describe.skipIf(missing || !existsSync(CORPUS))("a copy to print of each file of the corpus", () => {
  const filesOf = (folder: string) =>
    existsSync(`${CORPUS}/${folder}`) ? readdirSync(`${CORPUS}/${folder}`).map((name) => `${folder}/${name}`) : [];
  const others = filesOf("public").filter((_, index) => index % 4 === 0);
  it.each([...filesOf("made"), ...others].filter((name) => !name.includes("pages1000")))(
    "%s: nothing is covered, and the code is read",
    async (name) => {
      const bytes = new Uint8Array(readFileSync(`${CORPUS}/${name}`));
      const result = await copy(bytes, { most: 2 }).catch((error: unknown) => error);
      // What the service does not take is not printed either.
      if (result instanceof Error) return expect(["PadesError", "SandboxLimitError"]).toContain(result.name);
      const { source, made, count } = result as Awaited<ReturnType<typeof copy>>;
      expect(Buffer.from(made).includes("/ByteRange")).toBe(false);
      for (let page = 1; page <= count; page += 1) {
        const [before, after] = [renderPage(source, page, 72), renderPage(made, page, 72)];
        expect([after.width, after.height]).toEqual([before.width, before.height]);
        // Some files bear codes of their own.
        const code = (await readCodes(renderPage(made, page, 200))).find(({ text }) => text === addressOf(page));
        if (clipsOf(made) === clipsOf(source)) {
          const { covered, added } = compare(before, after);
          expect({ covered, hasCode: added > 2_000 }).toEqual({ covered: 0, hasCode: code?.ecLevel === "Q" });
        }
      }
    },
  );
});

describe.skipIf(missing)("a copy to print", () => {
  const DRAWN = "0 0 0 rg 40 40 515 762 re f";
  const full = () => makePdf({ pageExtra: "" });

  it("makes room on a page that is full, and what was cropped away stays away", async () => {
    const bytes = withContent(full(), DRAWN);
    const { made } = await copy(bytes);
    const [left, top, right, bottom] = boxOfInk(cropPicture(renderPage(made, 1, 72), { x: 0, y: 0, width: 595, height: 740 }));
    expect([left, top, right].map((value) => Math.round(value * 100))).toEqual([11, 5, 89]);
    expect(bottom).toBeGreaterThan(0.9);
    expect((await readCodes(renderPage(made, 1, 150)))[0]?.text).toBe(addressOf(1));
  });

  it.each([
    "/Rotate 90",
    "/Rotate 180",
    "/Rotate 270",
    "/UserUnit 2",
    "/CropBox[60 100 560 800]/Rotate 270/UserUnit 1.5",
    "/CropBox[-50 -50 700 900]/Rotate -90",
  ])("stands upright and off the text on a page with %s", async (pageExtra) => {
    const { source, made } = await copy(makePdf({ pageExtra }));
    const [before, after] = [renderPage(source, 1, 72), renderPage(made, 1, 72)];
    expect([after.width, after.height]).toEqual([before.width, before.height]);
    expect(compare(before, after).covered).toBe(0);
    // In the bottom right corner as the page is displayed.
    const [width, height] = [2 * before.width, 2 * before.height];
    const corner = cropPicture(renderPage(made, 1, 288), { x: width, y: height, width, height });
    expect(await readCodes(corner)).toEqual([{ text: addressOf(1), ecLevel: "Q" }]);
  });

  it("marks every page of a long document, several tasks long", async () => {
    const { made } = await copy(makePdf({ pages: 405 }), { most: 405 });
    expect(await sandbox.call("inspect", made)).toMatchObject({ pageCount: 405, result: "ok" });
    for (const page of [1, 400, 401, 405]) expect((await readCodes(renderPage(made, page, 150)))[0]?.text).toBe(addressOf(page));
  });

  it("puts the code of a page that is too small on a page that is added", async () => {
    const { made } = await copy(makePdf({ width: 200, height: 120 }));
    expect(boxOfInk(renderPage(made, 2, 72))[0]).toBeCloseTo(60 / 595, 1);
    expect(await readCodes(renderPage(made, 1, 200))).toEqual([]);
  });

  it.each([
    { dpi: 150, degrees: 0, blur: 0, noise: 0 },
    { dpi: 150, degrees: 2, blur: 0, noise: 20 },
    { dpi: 150, degrees: -3.3, blur: 0.3, noise: 30 },
    { dpi: 200, degrees: 7, blur: 1, noise: 40 },
  ])(
    "is read by a scanner at $dpi dpi, turned by $degrees°, blurred by $blur, noise $noise: from the smallest code that is made",
    async (scan) => {
      // All but the foot is taken: the page makes the least room that it can.
      const { made } = await copy(withContent(full(), DRAWN));
      const printed = renderPage(made, 1, 600);
      const corner = cropPicture(printed, { x: 3_000, y: 5_900, width: printed.width - 3_000, height: printed.height - 5_900 });
      expect(await readCodes(scanPicture(corner, 600, scan))).toEqual([{ text: addressOf(1), ecLevel: "Q" }]);
    },
  );
});

/** The same small file with another content on its page. */
function withContent(bytes: Uint8Array, content: string): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const [whole = "", before = ""] = /(<<\/Length )\d+>>\nstream\n[^]*?\nendstream/.exec(text) ?? [];
  const room = whole.length - `${before}0000>>\nstream\n\nendstream`.length;
  const replaced = `${before}${String(room).padStart(4, "0")}>>\nstream\n${content.padEnd(room)}\nendstream`;
  return new Uint8Array(Buffer.from(text.replace(whole, replaced), "latin1"));
}
