import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boxAround,
  boxesOverlap,
  boxInPage,
  HANDLES,
  MIN_HEIGHT,
  MIN_WIDTH,
  moveBox,
  resizeBox,
  sizeOnPage,
} from "./box.ts";

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const anyBox = fc
  .record({ x: fraction, y: fraction, width: fraction, height: fraction })
  .map(boxInPage);
const anyDelta = fc.record({
  dx: fc.double({ min: -2, max: 2, noNaN: true }),
  dy: fc.double({ min: -2, max: 2, noNaN: true }),
});
const stands = (box: { x: number; y: number; width: number; height: number }) =>
  box.x >= 0 &&
  box.y >= 0 &&
  box.x + box.width <= 1.0001 &&
  box.y + box.height <= 1.0001 &&
  box.width >= MIN_WIDTH - 1e-9 &&
  box.height >= MIN_HEIGHT - 1e-9;

describe("a box", () => {
  it("never leaves the page nor falls under its smallest size, however it is moved or resized", () => {
    fc.assert(
      fc.property(
        anyBox,
        anyDelta,
        fc.constantFrom(...HANDLES),
        (box, by, handle) => stands(moveBox(box, by)) && stands(resizeBox(box, handle, by)),
      ),
    );
  });

  it("takes the paper of an A4 page on a turned page too, and no more than a small page has", () => {
    const turned = sizeOnPage({ width: 0.3, height: 0.064 }, { width: 842, height: 595 });
    expect([turned.width * 842, turned.height * 595]).toEqual([
      expect.closeTo(0.3 * 595, 6),
      expect.closeTo(0.064 * 842, 6),
    ]);
    expect(sizeOnPage({ width: 0.3, height: 0.064 }, { width: 100, height: 40 })).toEqual({
      width: 1,
      height: 1,
    });
  });

  it("keeps its size when it is moved", () => {
    fc.assert(
      fc.property(anyBox, anyDelta, (box, by) => {
        const moved = moveBox(box, by);
        return moved.width === box.width && moved.height === box.height;
      }),
    );
  });

  it("keeps the opposite corner where it is when a corner is pulled", () => {
    const resized = resizeBox({ x: 0.2, y: 0.2, width: 0.3, height: 0.1 }, "nw", {
      dx: -0.05,
      dy: 0.02,
    });
    expect(resized).toEqual({ x: 0.15, y: 0.22, width: 0.35, height: 0.08 });
  });

  it("stops at its smallest size instead of turning over", () => {
    expect(
      resizeBox({ x: 0.2, y: 0.2, width: 0.3, height: 0.1 }, "w", { dx: 0.9, dy: 0 }),
    ).toMatchObject({ width: MIN_WIDTH, x: 0.46 });
  });

  it("is put around a point, and kept on the page near an edge", () => {
    expect(boxAround({ x: 0.5, y: 0.5 }, { width: 0.3, height: 0.1 })).toEqual({
      x: 0.35,
      y: 0.45,
      width: 0.3,
      height: 0.1,
    });
    expect(boxAround({ x: 0.99, y: 0 }, { width: 0.3, height: 0.1 })).toEqual({
      x: 0.7,
      y: 0,
      width: 0.3,
      height: 0.1,
    });
  });

  it("does not overlap a box it only touches", () => {
    const left = { x: 0.1, y: 0.1, width: 0.2, height: 0.1 };
    expect(boxesOverlap(left, { ...left, x: 0.3 })).toBe(false);
    expect(boxesOverlap(left, { ...left, x: 0.25 })).toBe(true);
  });
});
