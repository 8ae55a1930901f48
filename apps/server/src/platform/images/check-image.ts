import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { type ImageSize, readImageSize } from "./read-image-size.ts";

/** A telephone's photograph has 12.2 megapixels. Decoding that many took at most 125 MB here; 40, which security line 53 would allow, 360 MB. */
const MAXIMUM_PIXELS = 12_500_000;
/** Four samples a pixel, once decoded: a picture of 16 bits a sample may have half as many pixels. */
const MAXIMUM_DECODED_BYTES = 4 * MAXIMUM_PIXELS;

/**
 * Gives the announced size of an image that may be decoded. It decodes nothing, and costs nothing.
 * Errors: `invalid_image` for anything but a PNG, JPEG or WebP by its content; `image_too_large` for one that has too many pixels.
 */
export function checkImage(bytes: Uint8Array): Result<ImageSize, Problem> {
  const size = readImageSize(bytes);
  if (size === null || size.width < 1 || size.height < 1) return failure(problem("invalid_image"));
  const bytesPerPixel = 4 * Math.max(1, size.depth / 8);
  if (size.width * size.height * bytesPerPixel <= MAXIMUM_DECODED_BYTES) return success(size);
  const megapixels = (MAXIMUM_DECODED_BYTES / bytesPerPixel / 1e6).toLocaleString("fr-FR", { maximumFractionDigits: 1 });
  return failure(problem("image_too_large", { params: { megapixels } }));
}
