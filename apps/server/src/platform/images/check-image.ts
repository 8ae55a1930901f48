import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { type ImageSize, readImageSize } from "./read-image-size.ts";

/**
 * Security line 53: telephones take photographs of 24 to 50 megapixels. The decoder has no reduced decode: 40 are decoded whole, one picture at a time. Measured
 * on two busy cores, made to fit 512 and 1 200 pixels, beside the 80 MB that the child holds idle: JPEG of 16 MB 300 to 375 MB and 2 to 6 s, progressive 275 to 335 MB and
 * 4 to 6 s, PNG of 24 MB with opacity 395 to 455 MB and 2 to 4 s, lossy WebP 295 to 355 MB and 9 s.
 */
const MAXIMUM_PIXELS = 40_000_000;
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
