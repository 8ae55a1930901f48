import { ResizeFit, Transformer } from "@napi-rs/image";
import { removeBackground } from "./remove-background.ts";

/** What the child of the pictures can be asked. Null: the picture is damaged, or nothing is left of it. */
export type ImageTasks = {
  reencode(bytes: Uint8Array, options: ReencodeOptions): Promise<Uint8Array | null>;
};

/** Units: pixels. `width` and `height` are those that the file announces. */
export type ReencodeOptions = {
  readonly width: number;
  readonly height: number;
  readonly maximumSidePx: number;
  readonly format: "webp" | "png";
  readonly background: "keep" | "remove";
};

/** Gives the table of tasks. */
export async function loadTasks(): Promise<ImageTasks> {
  return { reencode };
}

async function reencode(
  bytes: Uint8Array,
  { width, height, maximumSidePx, format, background }: ReencodeOptions,
): Promise<Uint8Array | null> {
  try {
    const image = new Transformer(bytes).rotate();
    if (maximumSidePx < Math.max(width, height)) image.resize({ width: maximumSidePx, height: maximumSidePx, fit: ResizeFit.Inside });
    if (background === "keep") return new Uint8Array(await (format === "png" ? image.png() : image.webp(85)));
    const cleaned = await clean(image);
    return cleaned === null ? null : new Uint8Array(await (format === "png" ? cleaned.png() : cleaned.webp(85)));
  } catch (error) {
    // The decoder throws for every kind of damage, and only its message tells them apart.
    if (error instanceof Error) return null;
    throw error;
  }
}

async function clean(image: Transformer): Promise<Transformer | null> {
  // Written without loss and read again, whatever the file held is 8 bits a sample, three or four samples a pixel.
  const plain = new Transformer(await image.webpLossless());
  const { width, height } = await plain.metadata();
  const samples = await plain.rawPixels();
  const kept = removeBackground({ width, height, data: withOpacity(samples, width * height) });
  return kept === null ? null : Transformer.fromRgbaPixels(kept.data, kept.width, kept.height);
}

function withOpacity(samples: Uint8Array, count: number): Uint8ClampedArray {
  if (samples.length === 4 * count) return new Uint8ClampedArray(samples);
  const data = new Uint8ClampedArray(4 * count).fill(255);
  for (let pixel = 0; pixel < count; pixel++) data.set(samples.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel);
  return data;
}
