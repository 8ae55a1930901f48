import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import type { FieldPlacement, FieldType, Mark } from "../src/pdf/types.ts";
import type { Signer } from "../src/ports.ts";
import { prepareFields } from "../src/sign/prepare-fields.ts";
import { PREFIX, STROKES, signAs } from "../testing/sign-flow.ts";
import { type SmallPdfOptions, smallPdf } from "../testing/small-pdf.ts";
import { TEST_FONTS } from "../testing/test-fonts.ts";
import { createTestPki } from "../testing/test-pki.ts";
import { makePng } from "../testing/tiny-images.ts";
import { type Folder, missingTool, run, temporaryFolder } from "./tool.ts";

const missing = missingTool("pdftoppm");
/** A pixel is a point, so that places in points are places in the picture. */
const DPI = 72;

type Picture = {
  readonly width: number;
  readonly height: number;
  inkAt(x: number, y: number): boolean;
};

/** Renders the first page as people see it, cropped. */
function render(file: string): Picture {
  run("pdftoppm", ["-r", String(DPI), "-cropbox", "-f", "1", "-l", "1", "-singlefile", file, file]);
  const ppm = readFileSync(`${file}.ppm`);
  const [, width, height] =
    /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.subarray(0, 40).toString("latin1")) ?? [];
  const [columns, rows] = [Number(width), Number(height)];
  const pixels = ppm.subarray(ppm.length - columns * rows * 3);
  return {
    width: columns,
    height: rows,
    inkAt: (x, y) =>
      pixels
        .subarray((y * columns + x) * 3, (y * columns + x) * 3 + 3)
        .some((value) => value < 160),
  };
}

/**
 * Places of the looks, in points of the displayed page from its top left; they fit the smallest
 * page, upright or turned.
 */
type Look = {
  readonly owner: string;
  readonly type: FieldType;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  readonly value?: string;
};
const LOOKS: Readonly<Record<string, Look>> = {
  drawn: { owner: "drawn", type: "signature", box: [10, 10, 150, 70] },
  typed: { owner: "typed", type: "signature", box: [180, 10, 150, 70] },
  image: { owner: "image", type: "signature", box: [10, 90, 150, 70] },
  initials: { owner: "drawn", type: "initials", box: [180, 90, 60, 40] },
  text: {
    owner: "drawn",
    type: "text",
    box: [10, 170, 200, 50],
    value: "Lu et approuvé, bon pour accord sur toute la ligne, deux fois plutôt qu’une",
  },
  mention: {
    owner: "typed",
    type: "mention",
    box: [10, 255, 160, 30],
    value: "Lu et approuvé, bon pour caution solidaire de deux mois de loyer",
  },
  date: { owner: "drawn", type: "date", box: [220, 170, 90, 20], value: "21/11/2026" },
  name: { owner: "typed", type: "name", box: [10, 230, 150, 20], value: "Zoé Œuvrard" },
  ticked: { owner: "image", type: "checkbox", box: [180, 230, 20, 20], value: "true" },
  empty: { owner: "image", type: "checkbox", box: [210, 230, 20, 20] },
};
/** A stroke down the left and one along the bottom look different when turned or mirrored. */
function cornerPng(): Uint8Array {
  const [width, height] = [60, 30];
  const raw = new Uint8Array(height * (width + 1)).fill(255);
  for (let y = 0; y < height; y += 1) {
    raw[y * (width + 1)] = 0;
    for (let x = 0; x < width; x += 1) if (x < 8 || y > 24) raw[y * (width + 1) + 1 + x] = 0;
  }
  return makePng({ width, height, depth: 8, colorType: 0, raw });
}
const MARKS: Readonly<Record<string, Mark>> = {
  drawn: STROKES,
  typed: { kind: "typed", text: "Zoé Œuvrard", hand: "caveat" },
  image: { kind: "image", bytes: cornerPng() },
};
const BLANK = { 4: "<</Length 0>>\nstream\n\nendstream" };

const PAGES: readonly [string, SmallPdfOptions][] = [
  ["turned by 90", { rotate: 90 }],
  ["turned by 180", { rotate: 180 }],
  ["turned by 270", { rotate: 270 }],
  ["turned by -90", { rotate: -90 }],
  ["turned by 450", { rotate: 450 }],
  ["cropped", { cropBox: "100 150 500 700" }],
  ["cropped, its corners the other way round", { cropBox: "500 700 100 150" }],
  ["cropped and turned by 90", { cropBox: "100 150 500 700", rotate: 90 }],
  ["cropped and turned by 180", { cropBox: "100 150 500 700", rotate: 180 }],
  ["cropped and turned by 270", { cropBox: "100 150 500 700", rotate: 270 }],
  ["with a crop box larger than its media", { cropBox: "-100 -100 900 1200" }],
  ["with inherited boxes and rotation", { inherited: true, rotate: 270, cropBox: "50 60 450 760" }],
  ["with inherited boxes, upright", { inherited: true, cropBox: "50 60 450 760" }],
  ["of another unit", { userUnit: 2 }],
  [
    "of another unit, cropped and turned",
    { userUnit: 1.5, cropBox: "100 150 500 700", rotate: 90 },
  ],
];

describe.skipIf(missing)(`what is placed on a page${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let signer: Signer;
  let upright: Picture;
  beforeAll(async () => {
    folder = temporaryFolder();
    signer = await (await createTestPki()).issue({ commonName: "Zoé Œuvrard" });
    upright = await renderSigned("upright", {});
  });
  afterAll(() => folder.remove());

  /** Signs a blank page with every look, and renders it. */
  async function renderSigned(name: string, options: SmallPdfOptions): Promise<Picture> {
    const original = smallPdf({ ...options, objects: BLANK });
    const page = (await inspectPdf(original)).pages[0];
    if (!page) throw new Error("Expected a page");
    const unit = options.userUnit ?? 1;
    const [across, down] = [page.width / unit, page.height / unit];
    const fields = Object.entries(LOOKS).map(
      ([
        key,
        {
          owner,
          type,
          box: [x, y, width, height],
        },
      ]): FieldPlacement => ({
        name: key,
        ownerKey: owner,
        type,
        pageNumber: 1,
        x: x / across,
        y: y / down,
        width: width / across,
        height: height / down,
        label: key,
        tooltip: key,
      }),
    );
    let bytes = await prepareFields(original, { namePrefix: PREFIX, fonts: TEST_FONTS, fields });
    for (const [ownerKey, mark] of Object.entries(MARKS)) {
      const ownFields = Object.entries(LOOKS)
        .filter(([, { owner }]) => owner === ownerKey)
        .map(([key, { type, value }]) => ({ name: key, type, value: value ?? null }));
      bytes = await signAs(bytes, {
        signer,
        ownerKey,
        options: { ownFields, mark, lines: ["Zoé Œuvrard", "Signé électroniquement"] },
      });
    }
    const picture = render(folder.write(`${name.replaceAll(/\W+/g, "-")}.pdf`, bytes));
    expect(
      [picture.width, picture.height].map(
        (size, index) => Math.abs(size - (index === 0 ? across : down)) < 1.01,
      ),
    ).toEqual([true, true]);
    return picture;
  }

  /**
   * Counts the pixels of a box that are ink in one picture and not in the other, and those that are
   * ink in the first.
   */
  function compare(
    picture: Picture,
    [left, top, width, height]: Look["box"],
  ): { ink: number; different: number } {
    const found = { ink: 0, different: 0 };
    for (let y = top; y < top + height; y += 1) {
      for (let x = left; x < left + width; x += 1) {
        if (upright.inkAt(x, y)) found.ink += 1;
        if (upright.inkAt(x, y) !== picture.inkAt(x, y)) found.different += 1;
      }
    }
    return found;
  }

  /** Counts ink outside every box, beyond a pixel of anti-aliasing. */
  function strayInk(picture: Picture): number {
    const boxes = Object.values(LOOKS).map(({ box }) => box);
    let count = 0;
    for (let y = 0; y < picture.height; y += 1) {
      for (let x = 0; x < picture.width; x += 1) {
        const isInside = boxes.some(
          ([left, top, width, height]) =>
            x >= left - 1 && x <= left + width && y >= top - 1 && y <= top + height,
        );
        if (!isInside && picture.inkAt(x, y)) count += 1;
      }
    }
    return count;
  }

  test("every kind of field shows in its place on an upright page, and nowhere else", () => {
    for (const [key, { box }] of Object.entries(LOOKS))
      expect(compare(upright, box).ink, key).toBeGreaterThan(20);
    expect(strayInk(upright)).toBe(0);
  });

  test.each(PAGES)("fields look the same on a page %s", async (name, options) => {
    const picture = await renderSigned(name, options);
    expect(strayInk(picture)).toBe(0);
    for (const [key, { box }] of Object.entries(LOOKS)) {
      const { ink, different } = compare(picture, box);
      expect(different / ink, `${key}: ${different} of ${ink} pixels of ink`).toBeLessThan(0.12);
    }
  });

  test("UserUnit scales the page and its fields", async () => {
    expect((await inspectPdf(smallPdf({ userUnit: 2 }))).pages).toEqual([
      { width: 1190, height: 1684, rotation: 0 },
    ]);
  });
});
