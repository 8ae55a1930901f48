/** Pixels. */
export type PictureSize = { readonly width: number; readonly height: number };
/** `zoom`: 1 is the largest square; `x`, `y`: position in the remaining room, 0 to 1. */
export type Crop = { readonly zoom: number; readonly x: number; readonly y: number };

export const MAX_ZOOM = 4;
export const CENTRED: Crop = { zoom: 1, x: 0.5, y: 0.5 };
/** As a share of the square's side. */
const STEP = 0.05;
const ZOOM_STEP = 0.1;

/** The part of the picture that is kept, in its pixels. */
export function croppedSquare(
  { width, height }: PictureSize,
  { zoom, x, y }: Crop,
): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / zoom;
  return { left: x * (width - side), top: y * (height - side), side };
}

/** Moves by shares of the square's side; right and down are positive. */
export function moveSquare(
  size: PictureSize,
  crop: Crop,
  by: { readonly dx: number; readonly dy: number },
): Crop {
  const { side } = croppedSquare(size, crop);
  const moved = (at: number, share: number, room: number) =>
    room < 1e-6 ? at : clamp(at + (share * side) / room, 0, 1);
  return {
    ...crop,
    x: moved(crop.x, by.dx, size.width - side),
    y: moved(crop.y, by.dy, size.height - side),
  };
}

export function zoomSquare(size: PictureSize, crop: Crop, zoom: number): Crop {
  const before = croppedSquare(size, crop);
  const next = { ...crop, zoom: clamp(zoom, 1, MAX_ZOOM) };
  const { side } = croppedSquare(size, next);
  const held = (start: number, length: number) =>
    length - side < 1e-6 ? 0.5 : clamp((start + (before.side - side) / 2) / (length - side), 0, 1);
  return { ...next, x: held(before.left, size.width), y: held(before.top, size.height) };
}

export function cropByKey(key: string, size: PictureSize, crop: Crop): Crop | null {
  switch (key) {
    case "ArrowLeft":
      return moveSquare(size, crop, { dx: STEP, dy: 0 });
    case "ArrowRight":
      return moveSquare(size, crop, { dx: -STEP, dy: 0 });
    case "ArrowUp":
      return moveSquare(size, crop, { dx: 0, dy: STEP });
    case "ArrowDown":
      return moveSquare(size, crop, { dx: 0, dy: -STEP });
    case "+":
    case "=":
      return zoomSquare(size, crop, crop.zoom + ZOOM_STEP);
    case "-":
      return zoomSquare(size, crop, crop.zoom - ZOOM_STEP);
    case "Home":
      return CENTRED;
    default:
      return null;
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Twice the 512 pixels shown at most, for sharp screens. */
const MAX_SIDE = 1_024;
const LIGHT_BYTES = 512 * 1024;

type ShrunkAvatar =
  | { readonly ok: true; readonly file: File; readonly size: PictureSize }
  | { readonly ok: false; readonly reason: string };

/**
 * Shrinks a photograph over the service's limit of pixels. A small file is returned as it is,
 * otherwise a JPEG, or a PNG for a PNG.
 */
export async function shrinkAvatar(file: File): Promise<ShrunkAvatar> {
  if (!file.type.startsWith("image/"))
    return refuse("Ce fichier n’est pas une image. Choisissez un PNG ou un JPG.");
  if (!/^image\/(png|jpeg|webp)$/.test(file.type))
    return refuse("Ce format d’image n’est pas accepté. Choisissez un PNG ou un JPG.");
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const size = {
      width: Math.max(1, Math.round(bitmap.width * scale)),
      height: Math.max(1, Math.round(bitmap.height * scale)),
    };
    if (scale === 1 && file.size <= LIGHT_BYTES) {
      bitmap.close();
      return { ok: true, file, size };
    }
    return { ok: true, file: await redraw(bitmap, { size, file }), size };
  } catch (cause) {
    if (cause instanceof DOMException)
      return refuse("Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG.");
    throw cause;
  }
}

async function redraw(
  bitmap: ImageBitmap,
  { size, file }: { readonly size: PictureSize; readonly file: File },
): Promise<File> {
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
