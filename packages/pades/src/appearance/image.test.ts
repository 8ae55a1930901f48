import { expect, test } from "vitest";
import { makePng, tinyPng } from "../../testing/tiny-images.ts";
import { decodePng } from "./image.ts";

const decode = (bytes: Uint8Array) => decodePng(bytes, 1_000_000);

test("a PNG gives opacity only where some pixel is not opaque", async () => {
  expect(await decode(tinyPng("rgb"))).toEqual({
    width: 2,
    height: 2,
    color: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0),
    alpha: null,
  });
  expect((await decode(tinyPng("rgba"))).alpha).toEqual(Uint8Array.of(255, 255, 255, 0));
});

test("a PNG with a two-bit palette and transparency is decoded", async () => {
  const palette = Uint8Array.of(9, 9, 9, 200, 100, 50, 1, 2, 3);
  const image = await decode(
    makePng({
      width: 3,
      height: 1,
      depth: 2,
      colorType: 3,
      raw: Uint8Array.of(0, 0b00_01_10_00),
      palette,
      transparency: Uint8Array.of(0, 128),
    }),
  );
  expect(image.color).toEqual(palette);
  expect(image.alpha).toEqual(Uint8Array.of(0, 128, 255));
});

test("a PNG of one bit, and one of sixteen, is decoded", async () => {
  expect(
    (
      await decode(
        makePng({
          width: 3,
          height: 1,
          depth: 1,
          colorType: 0,
          raw: Uint8Array.of(0, 0b101_00000),
        }),
      )
    ).color,
  ).toEqual(Uint8Array.of(255, 255, 255, 0, 0, 0, 255, 255, 255));
  const deep = await decode(
    makePng({
      width: 1,
      height: 1,
      depth: 16,
      colorType: 4,
      raw: Uint8Array.of(0, 0x80, 0, 0x40, 0),
    }),
  );
  expect([...deep.color, ...(deep.alpha ?? [])]).toEqual([128, 128, 128, 64]);
});

test("a PNG with a transparent colour key is decoded", async () => {
  const raw = Uint8Array.of(0, 1, 2, 3, 4, 5, 6);
  const image = await decode(
    makePng({
      width: 2,
      height: 1,
      depth: 8,
      colorType: 2,
      raw,
      transparency: Uint8Array.of(0, 4, 0, 5, 0, 6),
    }),
  );
  expect(image.alpha).toEqual(Uint8Array.of(255, 0));
});

test.each([
  [1, [10, 10, 10]],
  [2, [10, 10, 10]],
  [3, [10, 10, 10]],
  [4, [10, 10, 10]],
])("PNG row filter %i is undone", async (filter, row) => {
  const image = await decode(
    makePng({
      width: 3,
      height: 2,
      depth: 8,
      colorType: 0,
      raw: Uint8Array.of(0, 10, 20, 30, filter, ...row),
    }),
  );
  const grey = Array.from({ length: 3 }, (_, index) => image.color[9 + index * 3]);
  const expected = { 1: [10, 20, 30], 2: [20, 30, 40], 3: [15, 27, 38], 4: [20, 30, 40] }[filter];
  expect(grey).toEqual(expected);
});

test("an interlaced PNG is assembled", async () => {
  const raw = Uint8Array.from(
    [
      [0, 1],
      [0, 2],
      [0, 3, 4],
    ].flat(),
  );
  const image = await decode(
    makePng({ width: 2, height: 2, depth: 8, colorType: 0, interlace: 1, raw }),
  );
  expect([0, 3, 6, 9].map((at) => image.color[at])).toEqual([1, 2, 3, 4]);
});

test.each([
  [
    "too many pixels",
    () =>
      makePng({ width: 10_000, height: 10_000, depth: 8, colorType: 0, raw: new Uint8Array(1) }),
  ],
  [
    "no width",
    () => makePng({ width: 0, height: 1, depth: 8, colorType: 0, raw: new Uint8Array(1) }),
  ],
  [
    "an unknown colour type",
    () => makePng({ width: 1, height: 1, depth: 8, colorType: 5, raw: new Uint8Array(2) }),
  ],
  [
    "fewer rows than it says",
    () => makePng({ width: 2, height: 9, depth: 8, colorType: 0, raw: Uint8Array.of(0, 1, 2) }),
  ],
  [
    "more data than it says",
    () => makePng({ width: 1, height: 1, depth: 8, colorType: 0, raw: new Uint8Array(500_000) }),
  ],
  [
    "an unknown filter",
    () => makePng({ width: 1, height: 1, depth: 8, colorType: 0, raw: Uint8Array.of(9, 1) }),
  ],
  ["a chunk cut short", () => tinyPng("rgb").subarray(0, 50)],
])("a PNG with %s is refused", async (_, make) => {
  await expect(decode(make())).rejects.toMatchObject({ code: "invalid_image" });
});
