import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium";

let opened: Promise<WrappedPdfiumModule> | null = null;

/** PDFium in WebAssembly, which reads only the given bytes; loaded once, on demand. */
function openPdfium(): Promise<WrappedPdfiumModule> {
  opened ??= load();
  return opened;
}

async function load(): Promise<WrappedPdfiumModule> {
  const file = await readFile(
    createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm"),
  );
  const wasmBinary = file.buffer.slice(
    file.byteOffset,
    file.byteOffset + file.byteLength,
  ) as ArrayBuffer;
  const pdfium = await init({ wasmBinary });
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** After a trap PDFium's memory is unusable: the next use loads it again. */
export function isTrap(error: unknown): boolean {
  const trapped = error instanceof Error && error.name === "RuntimeError";
  if (trapped) opened = null;
  return trapped;
}

/** BGRx rows of `stride` bytes, valid until the next drawing. */
export type Picture = {
  readonly columns: number;
  readonly rows: number;
  readonly stride: number;
  readonly pixels: Uint8Array;
};
/** Units: points, as displayed. */
export type PageSize = { readonly width: number; readonly height: number };

type Shown = "content" | "annotations";

/**
 * Pages count from 1; null for an unreadable page. Errors: `WebAssembly.RuntimeError` for a trap.
 */
export type PdfiumDocument = {
  sizeOf(pageNumber: number): PageSize | null;
  draw<T>(pageNumber: number, size: PictureSize, use: (picture: Picture) => T): T | null;
  close(): void;
};
export type PictureSize = {
  readonly columns: number;
  readonly rows: number;
  readonly shown: Shown;
};

/** FPDFBitmap_BGRx: four bytes a pixel. */
const BGRX = { format: 3, bytes: 4 } as const;
const WHITE = 0xffffffff;
const FPDF_ANNOT = 1;

export const PIXEL_BYTES = BGRX.bytes;

/** Null for what PDFium cannot read. Errors: `WebAssembly.RuntimeError` for a trap. */
export async function openPdfiumDocument(bytes: Uint8Array): Promise<PdfiumDocument | null> {
  const pdfium = await openPdfium();
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const address = malloc(bytes.length);
  pdfium.pdfium.HEAPU8.set(bytes, address);
  const document = pdfium.FPDF_LoadMemDocument(address, bytes.length, "");
  if (document === 0) {
    free(address);
    return null;
  }
  const withPage = <T>(pageNumber: number, use: (page: number) => T): T | null => {
    const page = pdfium.FPDF_LoadPage(document, pageNumber - 1);
    if (page === 0) return null;
    try {
      return use(page);
    } finally {
      pdfium.FPDF_ClosePage(page);
    }
  };
  return {
    sizeOf: (pageNumber) =>
      withPage(pageNumber, (page) => ({
        width: pdfium.FPDF_GetPageWidthF(page),
        height: pdfium.FPDF_GetPageHeightF(page),
      })),
    draw: (pageNumber, size, use) =>
      withPage(pageNumber, (page) => drawInBitmap(pdfium, page, size, use)),
    close() {
      pdfium.FPDF_CloseDocument(document);
      free(address);
    },
  };
}

function drawInBitmap<T>(
  pdfium: WrappedPdfiumModule,
  page: number,
  { columns, rows, shown }: PictureSize,
  use: (picture: Picture) => T,
): T | null {
  const bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, BGRX.format, 0, 0);
  if (bitmap === 0) return null;
  try {
    const flags = shown === "annotations" ? FPDF_ANNOT : 0;
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, flags);
    const [start, stride] = [
      pdfium.FPDFBitmap_GetBuffer(bitmap),
      pdfium.FPDFBitmap_GetStride(bitmap),
    ];
    const pixels = pdfium.pdfium.HEAPU8.subarray(start, start + stride * rows);
    return use({ columns, rows, stride, pixels });
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}
