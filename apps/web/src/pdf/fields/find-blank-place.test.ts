import { expect, test } from "vitest";
import { type InkGrid, findBlankPlace } from "./find-blank-place.ts";

/** An A4 page in cells of 5 points; `ink`: rectangles in points. */
function page(
  ink: readonly (readonly [x: number, y: number, width: number, height: number])[],
): InkGrid {
  const [columns, rows, cellPt] = [119, 168, 5];
  const cells = new Uint8Array(columns * rows);
  for (const [x, y, width, height] of ink)
    for (let row = Math.floor(y / cellPt); row < (y + height) / cellPt && row < rows; row++)
      for (
        let column = Math.floor(x / cellPt);
        column < (x + width) / cellPt && column < columns;
        column++
      )
        cells[row * columns + column] = 1;
  return { columns, rows, cellPt, cells };
}
const inPoints = (grid: InkGrid, taken: Parameters<typeof findBlankPlace>[1] = []) => {
  const place = findBlankPlace(grid, taken);
  return (
    place && {
      right: Math.round((place.x + place.width) * 595),
      bottom: Math.round((place.y + place.height) * 840),
      width: Math.round(place.width * 595),
    }
  );
};

test("a blank page takes the signature in its bottom right corner, within the margins", () => {
  expect(inPoints(page([]))).toEqual({ right: 555, bottom: 800, width: 180 });
});

test("a footer is left free: the signature stands over it", () => {
  const place = inPoints(page([[36, 770, 520, 12]]));
  expect(place?.right).toBe(555);
  expect(place?.bottom).toBeLessThanOrEqual(764);
});

test("text that reaches the right margin pushes it to the left rather than far up", () => {
  const place = inPoints(page([[300, 400, 295, 440]]));
  expect(place?.right).toBeLessThanOrEqual(294);
  expect(place?.bottom).toBe(800);
});

test("a field of the file is not covered though nothing is drawn there", () => {
  const place = inPoints(page([]), [{ x: 0.5, y: 0.85, width: 0.5, height: 0.15 }]);
  expect(place && (place.right <= 298 || place.bottom <= 714)).toBe(true);
});

test("a crowded page takes a smaller signature, a full page none", () => {
  const lines = Array.from({ length: 60 }, (_, index) => [0, index * 14, 595, 9] as const).filter(
    ([, y]) => y < 600 || y > 660,
  );
  expect(inPoints(page(lines))?.width).toBeLessThan(180);
  expect(findBlankPlace(page([[0, 0, 595, 842]]), [])).toBeNull();
});
