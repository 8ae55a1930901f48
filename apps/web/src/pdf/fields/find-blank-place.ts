import type { Box } from "../box.ts";
import type { OpenedPdf } from "../open-pdf.ts";

/** 1 where something is drawn. `cellPt`: side of a cell in points. */
export type InkGrid = {
  readonly columns: number;
  readonly rows: number;
  readonly cellPt: number;
  readonly cells: Uint8Array;
};

/** Sizes in points, in the order of the attempts. */
const SIZES_PT = [
  { width: 180, height: 56 },
  { width: 140, height: 44 },
  { width: 100, height: 32 },
  { width: 70, height: 24 },
] as const;
const MARGIN_PT = 36;
const GAP_PT = 6;

/**
 * The place nearest to the bottom right corner; null on a full page. In fractions of the page,
 * `taken` stays free and `below` is blank height under the place.
 */
export function findBlankPlace(grid: InkGrid, taken: readonly Box[], below = 0): Box | null {
  const sums = summed(grid, taken);
  for (const size of SIZES_PT) {
    const belowPt = below * grid.rows * grid.cellPt;
    const place = nearestBlank(grid, sums, { ...size, height: size.height + belowPt });
    if (place !== null) return { ...place, height: place.height - below };
  }
  return null;
}

/** Summed-area table: any rectangle is four reads (Crow, SIGGRAPH 1984). */
function summed({ columns, rows, cells }: InkGrid, taken: readonly Box[]): Uint32Array {
  const width = columns + 1;
  const sums = new Uint32Array(width * (rows + 1));
  const isTaken = (column: number, row: number) =>
    taken.some(
      (box) =>
        (column + 1) / columns > box.x &&
        column / columns < box.x + box.width &&
        (row + 1) / rows > box.y &&
        row / rows < box.y + box.height,
    );
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const ink =
        cells[row * columns + column] || (taken.length > 0 && isTaken(column, row)) ? 1 : 0;
      const at = (row + 1) * width + column + 1;
      sums[at] = ink + (sums[at - 1] ?? 0) + (sums[at - width] ?? 0) - (sums[at - width - 1] ?? 0);
    }
  }
  return sums;
}

function nearestBlank(
  { columns, rows, cellPt }: InkGrid,
  sums: Uint32Array,
  size: { width: number; height: number },
): Box | null {
  const cells = (points: number) => Math.ceil(points / cellPt);
  const [width, height, gap] = [cells(size.width), cells(size.height), cells(GAP_PT)];
  const margin = Math.min(cells(MARGIN_PT), Math.floor(columns / 10), Math.floor(rows / 10));
  let best: { x: number; y: number; distance: number } | null = null;
  for (let y = rows - margin - height; y >= margin; y--) {
    for (let x = columns - margin - width; x >= margin; x--) {
      const distance = (columns - margin - width - x) ** 2 + (rows - margin - height - y) ** 2;
      if (best !== null && distance >= best.distance) continue;
      if (
        inkIn(sums, columns, {
          x: x - gap,
          y: y - gap,
          right: x + width + gap,
          bottom: y + height + gap,
          rows,
        }) === 0
      )
        best = { x, y, distance };
    }
  }
  return best === null
    ? null
    : { x: best.x / columns, y: best.y / rows, width: width / columns, height: height / rows };
}

type Corners = {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
  readonly rows: number;
};

function inkIn(sums: Uint32Array, columns: number, { x, y, right, bottom, rows }: Corners): number {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [end, foot] = [Math.min(columns, right), Math.min(rows, bottom)];
  const at = (column: number, row: number) => sums[row * (columns + 1) + column] ?? 0;
  return at(end, foot) - at(left, foot) - at(end, top) + at(left, top);
}

/** A letter of small print fills a cell. */
const CELL_PT = 4;
/** Canvas pixels a point; fewer would lose hairlines. */
const SCALE = 0.5;
/** A lighter grey counts as paper. */
const PAPER = 225;

export async function readInk(pdf: OpenedPdf, pageNumber: number): Promise<InkGrid> {
  const canvas = document.createElement("canvas");
  await pdf.drawPage({ pageNumber, canvas, scale: SCALE }).done;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no 2D canvas in this browser");
  const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const side = CELL_PT * SCALE;
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  const cells = new Uint8Array(columns * rows);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const isInk =
        (data[at + 3] ?? 0) > 0 &&
        Math.min(data[at] ?? 255, data[at + 1] ?? 255, data[at + 2] ?? 255) < PAPER;
      if (isInk) cells[Math.floor(y / side) * columns + Math.floor(x / side)] = 1;
    }
  }
  return { columns, rows, cellPt: CELL_PT, cells };
}
