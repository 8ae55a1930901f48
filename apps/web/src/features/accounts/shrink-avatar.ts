import type { PictureSize } from "./crop-square.ts";

/** Shown 512 pixels wide at most: twice that keeps it sharp, whatever the service cuts. */
const MAX_SIDE = 1_024;
/** Small enough to be sent as it is. */
const LIGHT_BYTES = 512 * 1024;

export type ShrunkAvatar =
  | { readonly ok: true; readonly file: File; readonly size: PictureSize }
  | { readonly ok: false; readonly reason: string };

/**
 * Gives a chosen picture ready to be sent: a telephone's photograph has more pixels than the service accepts, and megabytes that nobody
 * will see. It is decoded here, so that what is no picture is told at once, under its field.
 * Units: pixels of a side. Output: the file itself when it is small already; otherwise a JPEG, or a PNG when it was one.
 */
export async function shrinkAvatar(file: File): Promise<ShrunkAvatar> {
  if (!file.type.startsWith("image/")) return refuse("Ce fichier n’est pas une image. Choisissez un PNG ou un JPG.");
  if (!/^image\/(png|jpeg|webp)$/.test(file.type)) return refuse("Ce format d’image n’est pas accepté. Choisissez un PNG ou un JPG.");
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const size = { width: Math.max(1, Math.round(bitmap.width * scale)), height: Math.max(1, Math.round(bitmap.height * scale)) };
    if (scale === 1 && file.size <= LIGHT_BYTES) {
      bitmap.close();
      return { ok: true, file, size };
    }
    return { ok: true, file: await redraw(bitmap, { size, file }), size };
  } catch (cause) {
    if (cause instanceof DOMException) return refuse("Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG.");
    throw cause;
  }
}

async function redraw(bitmap: ImageBitmap, { size, file }: { readonly size: PictureSize; readonly file: File }): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D canvas in this browser");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const type = file.type === "image/png" ? "image/png" : "image/jpeg";
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
  if (blob === null) throw new DOMException("the picture could not be encoded", "EncodingError");
  return new File([blob], file.name, { type });
}

function refuse(reason: string): ShrunkAvatar {
  return { ok: false, reason };
}
