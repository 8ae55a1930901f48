import { inkRectangle, type Pixels, removePaper } from "./clean-image.ts";

const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** A signature is printed a few centimetres wide: more pixels only make the document heavier. */
const MAX_SIDE = 1_200;

/** A picture read from a file, ready to be cleaned again each time the threshold moves. */
export type SignatureImage = { readonly pixels: Pixels };
export type ReadImage = { readonly ok: true; readonly image: SignatureImage } | { readonly ok: false; readonly reason: string };

/** Reads a PNG or JPEG file as pixels, at most 1200 on a side. */
export async function readSignatureImage(file: File): Promise<ReadImage> {
  if (!/^image\/(png|jpeg|webp)$/.test(file.type)) return { ok: false, reason: "Choisissez une image PNG ou JPG." };
  if (file.size > MAX_FILE_BYTES) return { ok: false, reason: "L’image est trop lourde : 5 Mo au maximum." };
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const context = contextOf(width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return { ok: true, image: { pixels: { width, height, data: context.getImageData(0, 0, width, height).data } } };
  } catch (cause) {
    if (cause instanceof DOMException) return { ok: false, reason: "Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG." };
    throw cause;
  }
}

/** Gives the cleaned, cropped picture as a PNG data URL; null when nothing is left at this threshold. */
export function cutSignature({ pixels }: SignatureImage, threshold: number): string | null {
  const clean = removePaper(pixels, threshold);
  const area = inkRectangle(clean);
  if (!area) return null;
  const whole = contextOf(clean.width, clean.height);
  whole.putImageData(new ImageData(new Uint8ClampedArray(clean.data), clean.width, clean.height), 0, 0);
  const cut = contextOf(area.width, area.height);
  cut.drawImage(whole.canvas, area.x, area.y, area.width, area.height, 0, 0, area.width, area.height);
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
