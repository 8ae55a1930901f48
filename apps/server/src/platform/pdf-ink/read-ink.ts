import type { WrappedPdfiumModule } from "@embedpdf/pdfium";
import type { PageInk } from "./find-blank-frame.ts";
import { openPdfium } from "./open-pdfium.ts";

/** A page to look at. `pageNumber` from 1; its size as displayed. Units: points. */
export type PageToRead = { readonly pageNumber: number; readonly width: number; readonly height: number };

/** Darker than this, in any colour, is ink: tints and watermarks too. */
const PAPER = 250;
/** A poster is seen from further away: so many cells at most. */
const MAX_CELLS = 2_000_000;
/** FPDFBitmap_BGRx: four bytes a pixel. */
const BGRX = { format: 3, bytes: 4 } as const;
const WHITE = 0xffffffff;

/** A document opened by PDFium. `ink` gives where something is drawn on a page, or null when it cannot be read. */
export type InkReader = { ink(page: PageToRead): PageInk | null; close(): void };

/** Opens a PDF to see where its pages are blank; null for what PDFium cannot read. Errors: `WebAssembly.RuntimeError` for a trap. */
export async function openInkReader(bytes: Uint8Array): Promise<InkReader | null> {
  const pdfium = await openPdfium();
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const address = malloc(bytes.length);
  pdfium.pdfium.HEAPU8.set(bytes, address);
  const document = pdfium.FPDF_LoadMemDocument(address, bytes.length, "");
  if (document === 0) {
    free(address);
    return null;
  }
  return {
    ink(page) {
      const handle = pdfium.FPDF_LoadPage(document, page.pageNumber - 1);
      if (handle === 0) return null;
      try {
        return renderInk(pdfium, handle, page);
      } finally {
        pdfium.FPDF_ClosePage(handle);
      }
    },
    close() {
      pdfium.FPDF_CloseDocument(document);
      free(address);
    },
  };
}

/** A cell is a pixel: PDFium turns the page, crops it and fits it to the size asked for. */
function renderInk(pdfium: WrappedPdfiumModule, page: number, { width, height }: PageToRead): PageInk | null {
  const cellPt = Math.max(1, Math.sqrt((width * height) / MAX_CELLS));
  const [columns, rows] = [Math.max(1, Math.round(width / cellPt)), Math.max(1, Math.round(height / cellPt))];
  const bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, BGRX.format, 0, 0);
  if (bitmap === 0) return null;
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, 0);
    const [start, stride] = [pdfium.FPDFBitmap_GetBuffer(bitmap), pdfium.FPDFBitmap_GetStride(bitmap)];
    return {
      columns,
      rows,
      cellPt,
      cells: inkCells(pdfium.pdfium.HEAPU8.subarray(start, start + stride * rows), { columns, rows, stride }),
    };
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

type Picture = { readonly columns: number; readonly rows: number; readonly stride: number };

function inkCells(pixels: Uint8Array, { columns, rows, stride }: Picture): Uint8Array {
  const cells = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * BGRX.bytes;
      const isPaper = (pixels[at] ?? 0) >= PAPER && (pixels[at + 1] ?? 0) >= PAPER && (pixels[at + 2] ?? 0) >= PAPER;
      if (!isPaper) cells[row * columns + column] = 1;
    }
  }
  return cells;
}
