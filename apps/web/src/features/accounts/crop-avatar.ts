import { type Crop, keptSquare } from "./crop-square.ts";

/** Shown 512 pixels wide at most: twice that keeps it sharp. */
const MAX_SIDE = 1_024;

/** Gives the square of a picture that was chosen, as a file of the same kind. The service decodes it and writes it anew all the same. */
export async function cropAvatar(file: File, crop: Crop): Promise<File> {
  const bitmap = await createImageBitmap(file);
  const { left, top, side } = keptSquare(bitmap, crop);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(1, Math.min(MAX_SIDE, Math.round(side)));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D canvas in this browser");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
  if (blob === null) throw new DOMException("the picture could not be encoded", "EncodingError");
  return new File([blob], file.name, { type });
}
