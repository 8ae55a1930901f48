import { isTrap } from "./open-pdfium.ts";
import { openPdfiumDocument, type PageSize, type PdfiumDocument, type PictureSize } from "./pdfium-document.ts";
import { writePng } from "./write-png.ts";

const DOTS_PER_INCH = 100;
/** A poster is seen from further away: so many pixels at most. */
const MAX_PIXELS = 2_000_000;

/** Gives how large a page is drawn, annotations and fields included. */
export function pictureSize({ width, height }: PageSize): PictureSize {
  const scale = Math.min(DOTS_PER_INCH / 72, Math.sqrt(MAX_PIXELS / (width * height)));
  return { columns: Math.max(1, Math.round(width * scale)), rows: Math.max(1, Math.round(height * scale)), shown: "annotations" };
}

/** Gives a page as it is displayed, as PNG; null for what PDFium cannot read. Pages count from 1. */
export async function drawPage(bytes: Uint8Array, pageNumber: number): Promise<Uint8Array | null> {
  let document: PdfiumDocument | null = null;
  try {
    document = await openPdfiumDocument(bytes);
    const size = document?.sizeOf(pageNumber) ?? null;
    return size === null || document === null ? null : document.draw(pageNumber, pictureSize(size), writePng);
  } catch (error) {
    if (!isTrap(error)) throw error;
    document = null;
    return null;
  } finally {
    document?.close();
  }
}
