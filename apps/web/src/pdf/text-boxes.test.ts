import { expect, it } from "vitest";
import { coversText, textBoxes } from "./text-blocks.ts";

const A4 = { width: 600, height: 800 };
const run = (part: object) => ({
  text: "Bon pour accord",
  x: 60,
  y: 400,
  width: 120,
  size: 20,
  angle: 0,
  ...part,
});
const boxesOf = (...runs: ReturnType<typeof run>[]) => textBoxes({ ...A4, runs });

it("a run's box goes from its first letter to its last, and blanks have none", () => {
  const [box] = boxesOf(run({}), run({ text: "  " }));
  expect(boxesOf(run({ text: "  " }))).toEqual([]);
  expect(box?.x).toBeCloseTo(0.1);
  expect(box?.width).toBeCloseTo(0.2);
  expect(box?.y).toBeCloseTo(385 / 800);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeCloseTo(404.4 / 800);
});

it("a run that goes down the page has the box around it", () => {
  const [box] = boxesOf(run({ angle: Math.PI / 2 }));
  expect(box?.y).toBeCloseTo(0.5);
  expect(box?.height).toBeCloseTo(120 / 800);
  expect((box?.width ?? 0) * 600).toBeCloseTo(19.4);
});

it("a field covers words by more than its edge", () => {
  const words = boxesOf(run({}));
  const at = (x: number, y: number) =>
    coversText({ x: x / 600, y: y / 800, width: 0.2, height: 0.05 }, words, A4);
  expect(at(100, 390)).toBe(true);
  // Below the line, above it, beside it, and touching it by half a point.
  expect([at(60, 405), at(60, 340), at(181, 390), at(60, 404)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
