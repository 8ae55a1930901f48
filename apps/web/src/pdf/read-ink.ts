import type { InkGrid } from "./find-blank-place.ts";
import type { OpenedPdf } from "./open-pdf.ts";

/** Side of a cell: a letter of small print fills one. */
const CELL_PT = 4;
/** Canvas pixels a point: half a pixel would lose hairlines. */
const SCALE = 0.5;
/** Lighter than this is paper: a grey tint takes a signature. */
const PAPER = 225;

/** Gives where something is drawn on a page, seen from afar. */
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
      const isInk = (data[at + 3] ?? 0) > 0 && Math.min(data[at] ?? 255, data[at + 1] ?? 255, data[at + 2] ?? 255) < PAPER;
      if (isInk) cells[Math.floor(y / side) * columns + Math.floor(x / side)] = 1;
    }
  }
  return { columns, rows, cellPt: CELL_PT, cells };
}
