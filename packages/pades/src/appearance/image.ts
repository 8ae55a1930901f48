import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";
import { inflate } from "../pdf/deflate.ts";
import type { IncrementalUpdate } from "../pdf/incremental-update.ts";

/** Three bytes a pixel; one opacity byte each unless all are opaque. */
type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly color: Uint8Array;
  readonly alpha: Uint8Array | null;
};

type Header = {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colorType: number;
  readonly interlaced: boolean;
};
type Chunks = {
  readonly header: Header;
  readonly data: Uint8Array;
  readonly palette: Uint8Array;
  readonly transparency: Uint8Array | null;
};
type Pass = {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
};

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const ADAM7: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
].map(([x = 0, y = 0, stepX = 1, stepY = 1]) => ({ x, y, stepX, stepY }));

/**
 * Any colour type, depth and interlacing.
 * Errors: `invalid_image`.
 * Source: ISO/IEC 15948.
 */
export async function decodePng(bytes: Uint8Array, maxPixels: number): Promise<Pixels> {
  const { header, data, palette, transparency } = readChunks(bytes, maxPixels);
  const bitsPerPixel = (CHANNELS[header.colorType] ?? 1) * header.depth;
  const passes = header.interlaced ? ADAM7 : [{ x: 0, y: 0, stepX: 1, stepY: 1 }];
  const sizes = passes.map((pass) => ({
    pass,
    columns: Math.ceil((header.width - pass.x) / pass.stepX),
    rows: Math.ceil((header.height - pass.y) / pass.stepY),
  }));
  const needed = sizes.reduce(
    (sum, { columns, rows }) =>
      sum + (columns > 0 && rows > 0 ? rows * (1 + Math.ceil((columns * bitsPerPixel) / 8)) : 0),
    0,
  );
  const raw = await inflate(data, needed + 64);
  if (raw.length < needed) throw invalidPng("as many pixels as the header says");
  const color = new Uint8Array(header.width * header.height * 3);
  const alpha = new Uint8Array(header.width * header.height).fill(255);
  const paint = painter(header, { palette, transparency }, { color, alpha });
  let at = 0;
  for (const { pass, columns, rows } of sizes) {
    if (columns <= 0 || rows <= 0) continue;
    const rowBytes = Math.ceil((columns * bitsPerPixel) / 8);
    unfilter(
      raw.subarray(at, at + rows * (rowBytes + 1)),
      rowBytes,
      Math.max(1, bitsPerPixel >> 3),
    );
    for (let row = 0; row < rows; row += 1) {
      const samples = raw.subarray(at + row * (rowBytes + 1) + 1, at + (row + 1) * (rowBytes + 1));
      for (let column = 0; column < columns; column += 1)
        paint(
          samples,
          column,
          (pass.y + row * pass.stepY) * header.width + pass.x + column * pass.stepX,
        );
    }
    at += rows * (rowBytes + 1);
  }
  return {
    width: header.width,
    height: header.height,
    color,
    alpha: alpha.every((value) => value === 255) ? null : alpha,
  };
}

function readChunks(bytes: Uint8Array, maxPixels: number): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 45 || view.getUint32(0) !== 0x8950_4e47 || view.getUint32(4) !== 0x0d0a_1a0a)
    throw invalidPng("a PNG or JPEG image");
  let header: Header | null = null;
  const data: Uint8Array[] = [];
  let palette = new Uint8Array();
  let transparency: Uint8Array | null = null;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (body.length !== length) throw invalidPng("whole chunks");
    if (type === "IHDR") header = readHeader(view, at + 8, maxPixels);
    else if (type === "PLTE") palette = new Uint8Array(body);
    else if (type === "tRNS") transparency = body;
    else if (type === "IDAT") data.push(body);
    else if (type === "IEND") break;
    at += 12 + length;
  }
  if (!header) throw invalidPng("an image header");
  return { header, data: concatBytes(data), palette, transparency };
}

function readHeader(view: DataView, at: number, maxPixels: number): Header {
  const header = {
    width: view.getUint32(at),
    height: view.getUint32(at + 4),
    depth: view.getUint8(at + 8),
    colorType: view.getUint8(at + 9),
    interlaced: view.getUint8(at + 12) === 1,
  };
  const depths =
    header.colorType === 0 ? [1, 2, 4, 8, 16] : header.colorType === 3 ? [1, 2, 4, 8] : [8, 16];
  if (!(header.colorType in CHANNELS) || !depths.includes(header.depth))
    throw invalidPng("a known colour type and depth");
  if (header.width === 0 || header.height === 0 || header.width * header.height > maxPixels)
    throw invalidPng("a bearable size");
  return header;
}

/** Source: ISO/IEC 15948 §9. */
function unfilter(raw: Uint8Array, rowBytes: number, pixelBytes: number): void {
  for (let start = 0; start < raw.length; start += rowBytes + 1) {
    const filter = raw[start] ?? 0;
    if (filter > 4) throw invalidPng("a known row filter");
    for (let index = 0; filter > 0 && index < rowBytes; index += 1) {
      const at = start + 1 + index;
      const left = index >= pixelBytes ? (raw[at - pixelBytes] ?? 0) : 0;
      const up = start > 0 ? (raw[at - rowBytes - 1] ?? 0) : 0;
      const corner =
        start > 0 && index >= pixelBytes ? (raw[at - rowBytes - 1 - pixelBytes] ?? 0) : 0;
      const predicted =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : paeth(left, up, corner);
      raw[at] = ((raw[at] ?? 0) + predicted) & 0xff;
    }
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [
    Math.abs(estimate - left),
    Math.abs(estimate - up),
    Math.abs(estimate - corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

type Painter = (samples: Uint8Array, column: number, pixel: number) => void;

/** Source: ISO/IEC 15948 §11.2, §11.3.2. */
function painter(
  { depth, colorType }: Header,
  { palette, transparency }: { palette: Uint8Array; transparency: Uint8Array | null },
  { color, alpha }: { color: Uint8Array; alpha: Uint8Array },
): Painter {
  const channels = CHANNELS[colorType] ?? 1;
  const most = 2 ** depth - 1;
  const sample = (samples: Uint8Array, index: number): number => {
    if (depth === 8) return samples[index] ?? 0;
    if (depth === 16) return ((samples[index * 2] ?? 0) << 8) | (samples[index * 2 + 1] ?? 0);
    const bit = index * depth;
    return ((samples[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & most;
  };
  const keyOf = (index: number): number =>
    (((transparency?.[index * 2] ?? 0) << 8) | (transparency?.[index * 2 + 1] ?? 0)) & most;
  return (samples, column, pixel) => {
    const values = Array.from({ length: channels }, (_, index) =>
      sample(samples, column * channels + index),
    );
    const [first = 0, second = 0, third = 0, fourth = most] = values;
    if (colorType === 3) {
      color.set(palette.subarray(first * 3, first * 3 + 3), pixel * 3);
      alpha[pixel] = transparency?.[first] ?? 255;
      return;
    }
    const grey = colorType === 0 || colorType === 4;
    const eight = (value: number): number => Math.round((value * 255) / most);
    color.set(
      grey
        ? [eight(first), eight(first), eight(first)]
        : [eight(first), eight(second), eight(third)],
      pixel * 3,
    );
    if (colorType === 4 || colorType === 6) alpha[pixel] = eight(colorType === 4 ? second : fourth);
    else if (transparency && values.every((value, index) => value === keyOf(index)))
      alpha[pixel] = 0;
  };
}

function invalidPng(expected: string): PadesError {
  return new PadesError("invalid_image", `Expected ${expected}`, { clause: "ISO/IEC 15948" });
}

type EmbeddedImage = { readonly number: number; readonly width: number; readonly height: number };

/** More than any photo of a signature has. */
const MAX_PIXELS = 25_000_000;

/** Errors: `invalid_image`. Source: ISO 32000-2 §8.9.5. */
export async function embedImage(
  update: IncrementalUpdate,
  bytes: Uint8Array,
): Promise<EmbeddedImage> {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return embedJpeg(update, bytes);
  const png = await decodePng(bytes, MAX_PIXELS);
  const [color, alpha] = await Promise.all([
    update.deflate(png.color),
    png.alpha ? update.deflate(png.alpha) : null,
  ]);
  const size = `/Type/XObject/Subtype/Image/Width ${png.width}/Height ${png.height}/BitsPerComponent 8`;
  const mask = alpha ? update.allocate() : null;
  if (mask !== null && alpha) update.putPacked(mask, `${size}/ColorSpace/DeviceGray`, alpha);
  const number = update.allocate();
  update.putPacked(
    number,
    `${size}/ColorSpace/DeviceRGB${mask === null ? "" : `/SMask ${mask} 0 R`}`,
    color,
  );
  return { number, width: png.width, height: png.height };
}

async function embedJpeg(update: IncrementalUpdate, bytes: Uint8Array): Promise<EmbeddedImage> {
  const { width, height, components } = jpegSize(bytes);
  if (components !== 1 && components !== 3) throw invalid("a grey or colour JPEG");
  const space = components === 1 ? "DeviceGray" : "DeviceRGB";
  const number = update.allocate();
  const entries = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/${space}/Filter/DCTDecode`;
  update.putRaw(number, entries, concatBytes([bytes]));
  return { number, width, height };
}

/** Source: ITU-T T.81 §B.2.2. */
function jpegSize(bytes: Uint8Array): { width: number; height: number; components: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < bytes.length; ) {
    if (view.getUint8(at) !== 0xff) break;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const size = {
        height: view.getUint16(at + 5),
        width: view.getUint16(at + 7),
        components: view.getUint8(at + 9),
      };
      const inBounds =
        view.getUint8(at + 4) === 8 &&
        size.width > 0 &&
        size.height > 0 &&
        size.width * size.height <= MAX_PIXELS;
      if (!inBounds) throw invalid("a JPEG of 8 bits and bearable size");
      return size;
    } else at += 2 + view.getUint16(at + 2);
  }
  throw invalid("a JPEG frame header");
}

function invalid(expected: string): PadesError {
  return new PadesError("invalid_image", `Expected ${expected}`);
}
