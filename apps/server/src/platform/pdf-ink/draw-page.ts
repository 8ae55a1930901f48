import { crc32, deflateSync } from "node:zlib";
import {
  isTrap,
  openPdfiumDocument,
  type PageSize,
  type PdfiumDocument,
  type Picture,
  type PictureSize,
  PIXEL_BYTES,
} from "./pdfium-document.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Eight bits a channel. Source: PNG (W3C) §11.2.1. */
const TRUECOLOUR = [8, 2, 0, 0, 0] as const;
const CHANNELS = 3;

/** Source: PNG (W3C) §5, §7.2, §10. */
export function writePng(picture: Picture): Uint8Array {
  const { columns, rows } = picture;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, columns);
  view.setUint32(4, rows);
  header.set(TRUECOLOUR, 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(scanlines(picture))),
    chunk("IEND", new Uint8Array()),
  ]);
}

function scanlines({ columns, rows, stride, pixels }: Picture): Uint8Array {
  const out = new Uint8Array(rows * (1 + columns * CHANNELS));
  let to = 0;
  for (let row = 0; row < rows; row += 1) {
    to += 1;
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      out[to++] = pixels[at + 2] ?? 0;
      out[to++] = pixels[at + 1] ?? 0;
      out[to++] = pixels[at] ?? 0;
    }
  }
  return out;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const DOTS_PER_INCH = 100;
/** Bounds a poster. */
const MAX_PIXELS = 2_000_000;

export function pictureSize({ width, height }: PageSize): PictureSize {
  const scale = Math.min(DOTS_PER_INCH / 72, Math.sqrt(MAX_PIXELS / (width * height)));
  return {
    columns: Math.max(1, Math.round(width * scale)),
    rows: Math.max(1, Math.round(height * scale)),
    shown: "annotations",
  };
}

/** PNG; null for what PDFium cannot read. Pages count from 1. */
export async function drawPage(bytes: Uint8Array, pageNumber: number): Promise<Uint8Array | null> {
  let document: PdfiumDocument | null = null;
  try {
    document = await openPdfiumDocument(bytes);
    const size = document?.sizeOf(pageNumber) ?? null;
    return size === null || document === null
      ? null
      : document.draw(pageNumber, pictureSize(size), writePng);
  } catch (error) {
    if (!isTrap(error)) throw error;
    document = null;
    return null;
  } finally {
    document?.close();
  }
}
