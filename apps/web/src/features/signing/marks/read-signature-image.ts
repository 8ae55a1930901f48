/** RGBA, row by row. */
type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };

/** Below this opacity, a pixel is paper. */
const INK_OPACITY = 24;
const MARGIN = 6;

/** Pixels lighter than `threshold` (0 to 255) become transparent, those just darker fade. */
export function removePaper(pixels: Pixels, threshold: number): Pixels {
  const data = new Uint8ClampedArray(pixels.data);
  const soft = 40;
  for (let index = 0; index < data.length; index += 4) {
    const light =
      0.2126 * (data[index] ?? 0) +
      0.7152 * (data[index + 1] ?? 0) +
      0.0722 * (data[index + 2] ?? 0);
    const keep = light >= threshold ? 0 : Math.min(1, (threshold - light) / soft);
    data[index + 3] = Math.round((data[index + 3] ?? 0) * keep);
  }
  return { width: pixels.width, height: pixels.height, data };
}

export function inkRectangle(
  pixels: Pixels,
): { x: number; y: number; width: number; height: number } | null {
  let left = pixels.width;
  let right = -1;
  let top = pixels.height;
  let bottom = -1;
  for (let y = 0; y < pixels.height; y++) {
    for (let x = 0; x < pixels.width; x++) {
      if ((pixels.data[(y * pixels.width + x) * 4 + 3] ?? 0) < INK_OPACITY) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  if (right < 0) return null;
  const x = Math.max(0, left - MARGIN);
  const y = Math.max(0, top - MARGIN);
  return {
    x,
    y,
    width: Math.min(pixels.width, right + MARGIN + 1) - x,
    height: Math.min(pixels.height, bottom + MARGIN + 1) - y,
  };
}

const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** Printed a few centimetres wide: more pixels only enlarge the document. */
const MAX_SIDE = 1_200;

/** Cleaned again when the threshold moves. */
export type SignatureImage = { readonly pixels: Pixels };
type ReadImage =
  | { readonly ok: true; readonly image: SignatureImage }
  | { readonly ok: false; readonly reason: string };

export async function readSignatureImage(file: File): Promise<ReadImage> {
  if (!/^image\/(png|jpeg|webp)$/.test(file.type))
    return { ok: false, reason: "Choisissez une image PNG ou JPG." };
  if (file.size > MAX_FILE_BYTES)
    return { ok: false, reason: "L’image est trop lourde : 5 Mo au maximum." };
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const context = contextOf(width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return {
      ok: true,
      image: { pixels: { width, height, data: context.getImageData(0, 0, width, height).data } },
    };
  } catch (cause) {
    if (cause instanceof DOMException)
      return {
        ok: false,
        reason: "Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG.",
      };
    throw cause;
  }
}

/** A PNG data URL; null when the threshold leaves nothing. */
export function cutSignature({ pixels }: SignatureImage, threshold: number): string | null {
  const clean = removePaper(pixels, threshold);
  const area = inkRectangle(clean);
  if (!area) return null;
  const whole = contextOf(clean.width, clean.height);
  whole.putImageData(
    new ImageData(new Uint8ClampedArray(clean.data), clean.width, clean.height),
    0,
    0,
  );
  const cut = contextOf(area.width, area.height);
  cut.drawImage(
    whole.canvas,
    area.x,
    area.y,
    area.width,
    area.height,
    0,
    0,
    area.width,
    area.height,
  );
  return cut.canvas.toDataURL("image/png");
}

function contextOf(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no 2D canvas in this browser");
  return context;
}
