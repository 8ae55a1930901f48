import type { PageInk } from "./find-blank-frame.ts";
import { openPdfiumDocument, type PageSize, type Picture, PIXEL_BYTES } from "./pdfium-document.ts";

/** A page to look at. `pageNumber` from 1; its size as displayed. Units: points. */
export type PageToRead = PageSize & { readonly pageNumber: number };

/** Darker than this, in any colour, is ink: tints and watermarks too. */
const PAPER = 250;
/** A poster is seen from further away: so many cells at most. */
const MAX_CELLS = 2_000_000;

/** A document opened by PDFium. `ink` gives where something is drawn on a page, or null when it cannot be read. */
export type InkReader = { ink(page: PageToRead): PageInk | null; close(): void };

/** Opens a PDF to see where its pages are blank; null for what PDFium cannot read. Errors: `WebAssembly.RuntimeError` for a trap. */
export async function openInkReader(bytes: Uint8Array): Promise<InkReader | null> {
  const document = await openPdfiumDocument(bytes);
  if (document === null) return null;
  return {
    // A cell is a pixel: PDFium turns the page, crops it and fits it to the size asked for.
    ink({ pageNumber, width, height }) {
      const cellPt = Math.max(1, Math.sqrt((width * height) / MAX_CELLS));
      const [columns, rows] = [Math.max(1, Math.round(width / cellPt)), Math.max(1, Math.round(height / cellPt))];
      const cells = document.draw(pageNumber, { columns, rows, shown: "content" }, inkCells);
      return cells === null ? null : { columns, rows, cellPt, cells };
    },
    close: () => document.close(),
  };
}

function inkCells({ columns, rows, stride, pixels }: Picture): Uint8Array {
  const cells = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      const isPaper = (pixels[at] ?? 0) >= PAPER && (pixels[at + 1] ?? 0) >= PAPER && (pixels[at + 2] ?? 0) >= PAPER;
      if (!isPaper) cells[row * columns + column] = 1;
    }
  }
  return cells;
}
