import { ResizeFit, Transformer } from "@napi-rs/image";

export type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
};

/** Grey levels over which a stroke's edge fades. */
const SOFT = 40;
const INK_OPACITY = 24;
const MARGIN_PX = 6;

/** Cuts to the ink; null for a blank sheet. */
export function removeBackground(pixels: Pixels): Pixels | null {
  const threshold = inkThreshold(pixels);
  const data = new Uint8ClampedArray(pixels.data);
  for (let index = 0; index < data.length; index += 4) {
    const keep = Math.min(1, Math.max(0, (threshold - lightness(data, index)) / SOFT));
    data[index + 3] = Math.round((data[index + 3] as number) * keep);
  }
  return cutToInk({ ...pixels, data });
}

/** Otsu's threshold (IEEE Trans. SMC 9, 1979), capped: a shadow is no ink. */
function inkThreshold({ data }: Pixels): number {
  const counts = new Float64Array(256);
  let total = 0;
  let sum = 0;
  for (let index = 0; index < data.length; index += 4) {
    if ((data[index + 3] as number) < INK_OPACITY) continue;
    const level = Math.round(lightness(data, index));
    counts[level] = (counts[level] as number) + 1;
    total += 1;
    sum += level;
  }
  let best = { level: 128, variance: -1 };
  for (let level = 0, dark = 0, darkSum = 0; level < 256; level++) {
    dark += counts[level] as number;
    darkSum += level * (counts[level] as number);
    if (dark === 0 || dark === total) continue;
    const variance =
      dark * (total - dark) * (darkSum / dark - (sum - darkSum) / (total - dark)) ** 2;
    if (variance > best.variance) best = { level, variance };
  }
  return Math.min(best.level + SOFT, 235);
}

/** ITU-R BT.709. */
function lightness(data: Uint8ClampedArray, index: number): number {
  return (
    0.2126 * (data[index] as number) +
    0.7152 * (data[index + 1] as number) +
    0.0722 * (data[index + 2] as number)
  );
}

function cutToInk({ width, height, data }: Pixels): Pixels | null {
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((data[(y * width + x) * 4 + 3] as number) < INK_OPACITY) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  if (right < 0) return null;
  const x = Math.max(0, left - MARGIN_PX);
  const y = Math.max(0, top - MARGIN_PX);
  const cut = {
    width: Math.min(width, right + MARGIN_PX + 1) - x,
    height: Math.min(height, bottom + MARGIN_PX + 1) - y,
  };
  const kept = new Uint8ClampedArray(cut.width * cut.height * 4);
  for (let row = 0; row < cut.height; row++) {
    const from = ((y + row) * width + x) * 4;
    kept.set(data.subarray(from, from + cut.width * 4), row * cut.width * 4);
  }
  return { ...cut, data: kept };
}

export type ImageTasks = {
  reencode(bytes: Uint8Array, options: ReencodeOptions): Promise<Uint8Array | null>;
  drawSvg(text: string, maximumSidePx: number): Promise<Uint8Array | null>;
};

export type ReencodeOptions = {
  readonly width: number;
  readonly height: number;
  readonly maximumSidePx: number;
  readonly format: "webp" | "png";
  readonly background: "keep" | "remove";
};

export async function loadTasks(): Promise<ImageTasks> {
  return { reencode, drawSvg };
}

function reencode(
  bytes: Uint8Array,
  { width, height, maximumSidePx, format, background }: ReencodeOptions,
): Promise<Uint8Array | null> {
  return nullWhenDamaged(async () => {
    const image = new Transformer(bytes).rotate();
    if (maximumSidePx < Math.max(width, height)) image.resize(inside(maximumSidePx));
    const written = background === "keep" ? image : await clean(image);
    return written && (format === "png" ? written.png() : written.webp(85));
  });
}

function drawSvg(text: string, maximumSidePx: number): Promise<Uint8Array | null> {
  return nullWhenDamaged(() => Transformer.fromSvg(text).resize(inside(maximumSidePx)).png());
}

const inside = (sidePx: number) => ({ width: sidePx, height: sidePx, fit: ResizeFit.Inside });

async function nullWhenDamaged(
  write: () => Promise<Uint8Array | null>,
): Promise<Uint8Array | null> {
  try {
    const written = await write();
    return written && new Uint8Array(written);
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

async function clean(image: Transformer): Promise<Transformer | null> {
  // Lossless first gives 8 bits a sample and three or four samples.
  const plain = new Transformer(await image.webpLossless());
  const { width, height } = await plain.metadata();
  const samples = await plain.rawPixels();
  const kept = removeBackground({ width, height, data: withOpacity(samples, width * height) });
  return kept === null ? null : Transformer.fromRgbaPixels(kept.data, kept.width, kept.height);
}

function withOpacity(samples: Uint8Array, count: number): Uint8ClampedArray {
  if (samples.length === 4 * count) return new Uint8ClampedArray(samples);
  const data = new Uint8ClampedArray(4 * count).fill(255);
  for (let pixel = 0; pixel < count; pixel++)
    data.set(samples.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel);
  return data;
}
