import { expect, it } from "vitest";
import { inkRectangle, removePaper } from "./read-signature-image.ts";

/** A 40 × 20 sheet, light grey, with a dark bar at (20, 10) of 6 × 2. */
function photo() {
  const data = new Uint8ClampedArray(40 * 20 * 4).fill(255);
  for (let index = 0; index < data.length; index += 4) data.set([215, 214, 220, 255], index);
  for (let y = 10; y < 12; y++)
    for (let x = 20; x < 26; x++) data.set([20, 30, 120, 255], (y * 40 + x) * 4);
  return { width: 40, height: 20, data };
}

it("removes the paper of a photographed signature and leaves its ink in colour", () => {
  const clean = removePaper(photo(), 190);
  expect(clean.data[3]).toBe(0);
  expect(Array.from(clean.data.subarray((10 * 40 + 20) * 4, (10 * 40 + 20) * 4 + 4))).toEqual([
    20, 30, 120, 255,
  ]);
});
it("crops a photographed signature to its ink with a small margin", () => {
  expect(inkRectangle(removePaper(photo(), 190))).toEqual({ x: 14, y: 4, width: 18, height: 14 });
});
it("gives nothing when the threshold takes all the ink", () => {
  expect(inkRectangle(removePaper(photo(), 10))).toBeNull();
});
