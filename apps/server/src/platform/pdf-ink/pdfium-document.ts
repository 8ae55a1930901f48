import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { crc32, deflateSync } from "node:zlib";
import { type WrappedPdfiumModule, init } from "@embedpdf/pdfium";

let opened: Promise<WrappedPdfiumModule> | null = null;

/** Runs in WebAssembly, which reads only the given bytes; loaded once, on demand. */
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

/** After a trap its memory is unusable: the next use loads it again. */
export function isTrap(error: unknown): boolean {
  const trapped = error instanceof Error && error.name === "RuntimeError";
  if (trapped) opened = null;
  return trapped;
}

/** Rows of `stride` bytes, BGRx; the next drawing overwrites them. */
export type Picture = {
  readonly columns: number;
  readonly rows: number;
  readonly stride: number;
  readonly pixels: Uint8Array;
};
export type PageSize = { readonly width: number; readonly height: number };

type Shown = "content" | "annotations";

/** Pages count from 1; null if unreadable. Errors: `WebAssembly.RuntimeError` for a trap. */
export type PdfiumDocument = {
  sizeOf(pageNumber: number): PageSize | null;
  draw<T>(pageNumber: number, size: PictureSize, use: (picture: Picture) => T): T | null;
  /** The page's text, and where each of its characters stands; during `use` alone. */
  read<T>(pageNumber: number, use: (text: PageText) => T): T | null;
  close(): void;
};
/** Fractions of the displayed page. */
export type TextBox = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};
export type PageText = { readonly text: string; boxOf(index: number): TextBox | null };
export type PictureSize = {
  readonly columns: number;
  readonly rows: number;
  readonly shown: Shown;
};

const BGRX = { format: 3, bytes: 4 } as const;
const WHITE = 0xffffffff;
const FPDF_ANNOT = 1;

export const PIXEL_BYTES = BGRX.bytes;

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
    read: (pageNumber, use) => withPage(pageNumber, (page) => readPage(pdfium, page, use)),
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

/** Units: parts of a side, as whole numbers. */
const PARTS = 1_000_000;
/** Room for a rectangle of four floats, or two whole numbers. */
const ROOM_BYTES = 16;

function readPage<T>(
  pdfium: WrappedPdfiumModule,
  page: number,
  use: (text: PageText) => T,
): T | null {
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const textPage = pdfium.FPDFText_LoadPage(page);
  if (textPage === 0) return null;
  const count = Math.max(0, pdfium.FPDFText_CountChars(textPage));
  const room = malloc(Math.max(ROOM_BYTES, 2 * (count + 1)));
  const view = () => new DataView(pdfium.pdfium.HEAPU8.buffer, room);
  try {
    const written = pdfium.FPDFText_GetText(textPage, 0, count, room);
    const bytes = pdfium.pdfium.HEAPU8.slice(room, room + 2 * Math.max(0, written - 1));
    const pointAt = (x: number, y: number): readonly [number, number] => {
      pdfium.FPDF_PageToDevice(page, 0, 0, PARTS, PARTS, 0, x, y, room, room + 4);
      return [view().getInt32(0, true) / PARTS, view().getInt32(4, true) / PARTS];
    };
    const boxOf = (index: number): TextBox | null => {
      const at = pdfium.FPDFText_GetCharIndexFromTextIndex(textPage, index);
      if (at < 0 || !pdfium.FPDFText_GetLooseCharBox(textPage, at, room)) return null;
      const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) =>
        view().getFloat32(offset, true),
      );
      const [one, other] = [pointAt(left, top), pointAt(right, bottom)];
      return {
        left: Math.min(one[0], other[0]),
        top: Math.min(one[1], other[1]),
        right: Math.max(one[0], other[0]),
        bottom: Math.max(one[1], other[1]),
      };
    };
    return use({ text: new TextDecoder("utf-16le").decode(bytes), boxOf });
  } finally {
    free(room);
    pdfium.FPDFText_ClosePage(textPage);
  }
}

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
const MAX_PIXELS = 2_000_000;

export function pictureSize({ width, height }: PageSize): PictureSize {
  const scale = Math.min(DOTS_PER_INCH / 72, Math.sqrt(MAX_PIXELS / (width * height)));
  return {
    columns: Math.max(1, Math.round(width * scale)),
    rows: Math.max(1, Math.round(height * scale)),
    shown: "annotations",
  };
}

/** PNG; null if unreadable. Pages from 1. */
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
