import { describe, expect, it } from "vitest";
import { findBlankFrame, type FrameWanted, type PageInk } from "./find-blank-frame.ts";

/** A page of 60 × 80 cells of 10 points; a drawing: left, top, right, bottom in cells. */
function page(...drawn: readonly (readonly [number, number, number, number])[]): PageInk {
  const [columns, rows] = [60, 80];
  const cells = new Uint8Array(columns * rows);
  for (const [left, top, right, bottom] of drawn)
    for (let row = top; row < bottom; row += 1) cells.fill(1, row * columns + left, row * columns + right);
  return { columns, rows, cellPt: 10, cells };
}
const WANTED: FrameWanted = {
  sizes: [
    { width: 100, height: 100 },
    { width: 50, height: 50 },
  ],
  corners: ["bottom-right", "bottom-left", "top-right", "top-left"],
  edge: 20,
  gap: 10,
};

describe("a blank place on a page", () => {
  it("is the largest in the corner asked for first, inside the edge", () => {
    expect(findBlankFrame(page(), WANTED)).toEqual({ x: 480, y: 680, width: 100, height: 100, size: 0 });
    expect(findBlankFrame(page(), { ...WANTED, corners: ["top-left"] })).toEqual({ x: 20, y: 20, width: 100, height: 100, size: 0 });
  });

  it("keeps its distance from what is drawn", () => {
    expect(findBlankFrame(page([0, 70, 60, 71]), WANTED)).toEqual({ x: 480, y: 590, width: 100, height: 100, size: 0 });
  });

  it("is in another corner when the first is taken", () => {
    expect(findBlankFrame(page([30, 40, 60, 80]), WANTED)).toMatchObject({ x: 20, y: 680, size: 0 });
    expect(findBlankFrame(page([0, 30, 60, 80]), WANTED)).toMatchObject({ x: 480, y: 20, size: 0 });
  });

  it("is anywhere when no corner is free, before it is smaller", () => {
    const corners = page([0, 0, 60, 27], [0, 53, 60, 80]);
    expect(findBlankFrame(corners, WANTED)).toMatchObject({ x: 480, y: 420, size: 0 });
  });

  it("is smaller when no large one is left, and none where it would not fit", () => {
    expect(findBlankFrame(page([0, 0, 60, 72]), WANTED)).toMatchObject({ width: 50, height: 50, size: 1 });
    expect(findBlankFrame(page([0, 0, 60, 73]), WANTED)).toBeNull();
    expect(findBlankFrame({ columns: 6, rows: 6, cellPt: 10, cells: new Uint8Array(36) }, WANTED)).toBeNull();
  });
});
