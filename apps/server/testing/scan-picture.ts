import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import type { Part, Picture } from "./render-pdf.ts";

const { resolve } = createRequire(import.meta.url);
let ready: Promise<unknown> | null = null;

async function prepare(): Promise<void> {
  const file = await readFile(resolve("zxing-wasm/reader/zxing_reader.wasm"));
  const wasmBinary = file.buffer.slice(
    file.byteOffset,
    file.byteOffset + file.byteLength,
  ) as ArrayBuffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

/** Reads with zxing-cpp, which is independent of our encoder. */
export async function readCodes({
  width,
  height,
  pixels,
}: Picture): Promise<readonly { readonly text: string; readonly ecLevel: string }[]> {
  ready ??= prepare();
  await ready;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  // A view of each pixel would take ten times as long.
  for (let from = 0, to = 0; from < width * height * 3; from += 3, to += 4) {
    data[to] = pixels[from] ?? 0;
    data[to + 1] = pixels[from + 1] ?? 0;
    data[to + 2] = pixels[from + 2] ?? 0;
  }
  const image = { data, width, height, colorSpace: "srgb" } as Parameters<typeof readBarcodes>[0];
  const codes = await readBarcodes(image, {
    formats: ["QRCode"],
    tryHarder: true,
    maxNumberOfSymbols: 4,
  });
  return codes.filter(({ isValid }) => isValid).map(({ text, ecLevel }) => ({ text, ecLevel }));
}

/**
 * A scan rotates the page, sees spots wider than a pixel by `blur` (pixels), off by at most `noise`
 * of 255.
 */
export type Scan = {
  readonly dpi: number;
  readonly degrees: number;
  readonly blur: number;
  readonly noise: number;
};

/** Deterministic; `printed`: dots an inch. */
export function scanPicture(page: Picture, printed: number, scan: Scan): Picture {
  const step = printed / scan.dpi;
  const [width, height] = [Math.ceil(page.width / step), Math.ceil(page.height / step)];
  const [sin, cos] = [
    Math.sin((scan.degrees * Math.PI) / 180),
    Math.cos((scan.degrees * Math.PI) / 180),
  ];
  const pixels = new Uint8Array(width * height * 3);
  let seed = 12_345;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [dx, dy] = [(x + 0.5 - width / 2) * step, (y + 0.5 - height / 2) * step];
      const middle = {
        x: cos * dx + sin * dy + page.width / 2,
        y: cos * dy - sin * dx + page.height / 2,
      };
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      // Toner is grey, paper not white.
      const value =
        30 +
        0.85 * spotOf(page, middle, (step * (1 + scan.blur)) / 2) +
        ((seed >>> 8) / 2 ** 24 - 0.5) * 2 * scan.noise;
      pixels.fill(
        Math.max(0, Math.min(255, Math.round(value))),
        (y * width + x) * 3,
        (y * width + x) * 3 + 3,
      );
    }
  }
  return { width, height, pixels };
}

/** Gives the mean grey; beyond the edges lies paper. */
function spotOf(
  { width, height, pixels }: Picture,
  { x, y }: { readonly x: number; readonly y: number },
  reach: number,
): number {
  let [sum, count] = [0, 0];
  for (let row = Math.round(y - reach); row < Math.round(y + reach); row += 1) {
    for (let column = Math.round(x - reach); column < Math.round(x + reach); column += 1) {
      const isPage = column >= 0 && row >= 0 && column < width && row < height;
      sum += isPage ? (pixels[(row * width + column) * 3 + 1] ?? 255) : 255;
      count += 1;
    }
  }
  return sum / count;
}

export function cropPicture({ width, pixels }: Picture, part: Part): Picture {
  const out = new Uint8Array(part.width * part.height * 3);
  for (let row = 0; row < part.height; row += 1) {
    const from = ((part.y + row) * width + part.x) * 3;
    out.set(pixels.subarray(from, from + part.width * 3), row * part.width * 3);
  }
  return { width: part.width, height: part.height, pixels: out };
}
