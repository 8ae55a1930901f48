import { strokePointSchema } from "@paraphe/contracts";
import { expect, it } from "vitest";
import {
  type Stroke,
  extendStroke,
  inkBounds,
  isDrawn,
  strokePaths,
  strokeWidth,
} from "./stroke.ts";

/** `points`: "x y, x y" in pixels. */
const draw = (points: string, heightPx = 200, isPen = false, widthPx = 4_000): Stroke => {
  let timeMs = 0;
  return points.split(", ").reduce<Stroke>((stroke, point, index) => {
    const [x = 0, y = 0] = point.split(" ").map(Number);
    const longer = extendStroke(
      stroke,
      { x, y, timeMs: index * 16, pressure: 0.8, isPen },
      { widthPx, heightPx, timeMs },
    );
    timeMs = index * 16;
    return longer;
  }, []);
};

it("draws the same stroke on a taller pad, in pad heights", () => {
  const [small, tall] = [draw("20 100, 60 40", 200), draw("40 200, 120 80", 400)];
  expect(small.map(([x, y]) => [x, y])).toEqual(tall.map(([x, y]) => [x, y]));
});
it("draws the same thickness in pixels on a full-screen pad", () => {
  const thickPx = (heightPx: number) =>
    strokeWidth(draw("20 100", heightPx)[0]?.[2] ?? 0) * heightPx;
  expect(thickPx(420)).toBeCloseTo(thickPx(210), 1);
});
it("drops points too near the last one", () => {
  expect(draw("20 100, 20.2 100, 20.4 100")).toHaveLength(1);
});
it("thins the line with speed, and follows a pen's pressure", () => {
  const slow = draw("20 100, 21 100, 22 100, 23 100").at(-1)?.[2] ?? 0;
  const fast = draw("20 100, 60 100, 100 100, 140 100").at(-1)?.[2] ?? 0;
  expect(fast).toBeLessThan(slow);
  expect(draw("20 100, 60 100", 200, true)[0]?.[2]).toBe(0.8);
});
it("draws only what the contract accepts", () => {
  for (const point of draw("0 0, 900 199, 30 10"))
    expect(strokePointSchema.safeParse([...point]).success).toBe(true);
});
it("clips a stroke to each edge of the pad", () => {
  const left = draw("100 100, -900 -900, 100 900, 9000 100", 200, false, 500);
  expect(left.map(([x, y]) => [x, y])).toEqual([
    [0.5, 0.5],
    [0, 0],
    [0.5, 1],
    [2.5, 0.5],
  ]);
  for (const point of left) expect(strokePointSchema.safeParse([...point]).success).toBe(true);
  expect(draw("5000 10", 10, false, 9_000)[0]?.[0]).toBe(20);
});
it("draws nothing on a pad without height", () => {
  expect(draw("10 10", 0)).toEqual([]);
});
it("accepts a signature from three points on, dots included", () => {
  expect(isDrawn([])).toBe(false);
  expect(isDrawn([draw("20 20, 40 40")])).toBe(false);
  expect(isDrawn([draw("20 20, 40 40"), draw("60 60")])).toBe(true);
});
it("gives bounds that include the line's width, and paths to fill", () => {
  const stroke = draw("20 100, 120 40, 160 120");
  const bounds = inkBounds([stroke]);
  expect(bounds?.x).toBeLessThan(0.1);
  expect((bounds?.x ?? 0) + (bounds?.width ?? 0)).toBeGreaterThan(0.8);
  expect(strokePaths(stroke)).toHaveLength(3);
  expect(strokePaths([])).toEqual([]);
  expect(inkBounds([])).toBeNull();
});
