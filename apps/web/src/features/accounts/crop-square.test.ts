import { expect, test } from "vitest";
import { CENTRED, cropByKey, keptSquare, MAX_ZOOM, moveSquare, zoomSquare } from "./crop-square.ts";

const wide = { width: 1_024, height: 768 };
const tall = { width: 600, height: 1_000 };

test("what is kept first is the largest square, in the middle", () => {
  expect(keptSquare(wide, CENTRED)).toEqual({ left: 128, top: 0, side: 768 });
  expect(keptSquare(tall, CENTRED)).toEqual({ left: 0, top: 200, side: 600 });
  expect(keptSquare({ width: 1, height: 1_024 }, CENTRED)).toEqual({
    left: 0,
    top: 511.5,
    side: 1,
  });
});

test("it moves by shares of its side, stops at the edges, and stays where it has no room", () => {
  expect(keptSquare(wide, moveSquare(wide, CENTRED, { dx: 0.1, dy: 0.5 }))).toMatchObject({
    left: expect.closeTo(204.8),
    top: 0,
  });
  expect(keptSquare(wide, moveSquare(wide, CENTRED, { dx: 9, dy: 0 }))).toMatchObject({
    left: 256,
  });
  expect(keptSquare(wide, moveSquare(wide, CENTRED, { dx: -9, dy: 0 }))).toMatchObject({ left: 0 });
  expect(moveSquare(tall, CENTRED, { dx: 1, dy: 0 })).toEqual(CENTRED);
});

test("it grows and shrinks around its middle, within its limits, and never leaves the picture", () => {
  const near = zoomSquare(wide, CENTRED, 2);
  expect(keptSquare(wide, near)).toEqual({ left: 320, top: 192, side: 384 });
  expect(zoomSquare(wide, near, 1)).toEqual(CENTRED);
  expect(zoomSquare(wide, near, 99).zoom).toBe(MAX_ZOOM);
  expect(zoomSquare(wide, near, 0).zoom).toBe(1);
  for (const crop of [
    moveSquare(tall, zoomSquare(tall, CENTRED, 3.3), { dx: 5, dy: -5 }),
    zoomSquare(tall, { zoom: 4, x: 1, y: 1 }, 1.2),
  ]) {
    const { left, top, side } = keptSquare(tall, crop);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(left + side).toBeLessThanOrEqual(tall.width + 1e-9);
    expect(top + side).toBeLessThanOrEqual(tall.height + 1e-9);
  }
});

test.each([
  ["ArrowRight", { left: expect.closeTo(89.6) }],
  ["ArrowLeft", { left: expect.closeTo(166.4) }],
  ["ArrowDown", { top: 0 }],
  ["+", { side: expect.closeTo(768 / 1.1) }],
  ["-", { side: 768 }],
])("the key %s does what it says", (key, kept) => {
  const crop = cropByKey(key, wide, CENTRED);
  expect(crop && keptSquare(wide, crop)).toMatchObject(kept);
});

test("arrows up and down move a tall picture, the square the other way; Home puts it back; another key is left alone", () => {
  const lower = cropByKey("ArrowUp", tall, CENTRED);
  expect(lower && keptSquare(tall, lower).top).toBeCloseTo(230);
  const higher = cropByKey("ArrowDown", tall, CENTRED);
  expect(higher && keptSquare(tall, higher).top).toBeCloseTo(170);
  expect(cropByKey("Home", tall, { zoom: 3, x: 0, y: 1 })).toEqual(CENTRED);
  expect(cropByKey("Tab", tall, CENTRED)).toBeNull();
});
