/** Pixels of a picture, four bytes each (red, green, blue, opacity), row by row. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };

/** Below this opacity a pixel counts as paper. */
const INK_OPACITY = 24;
/** Room kept around the ink, pixels. */
const MARGIN = 6;

/**
 * Makes the paper of a photographed signature transparent: pixels lighter than `threshold` (0 to 255) go, those just darker fade,
 * so that edges stay smooth; the ink keeps its own colour.
 */
export function removePaper(pixels: Pixels, threshold: number): Pixels {
  const data = new Uint8ClampedArray(pixels.data);
  const soft = 40;
  for (let index = 0; index < data.length; index += 4) {
    const light = 0.2126 * (data[index] ?? 0) + 0.7152 * (data[index + 1] ?? 0) + 0.0722 * (data[index + 2] ?? 0);
    const keep = light >= threshold ? 0 : Math.min(1, (threshold - light) / soft);
    data[index + 3] = Math.round((data[index + 3] ?? 0) * keep);
  }
  return { width: pixels.width, height: pixels.height, data };
}

/** Gives the rectangle that holds the ink, with a small margin; null when the picture is blank. */
export function inkRectangle(pixels: Pixels): { x: number; y: number; width: number; height: number } | null {
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
  return { x, y, width: Math.min(pixels.width, right + MARGIN + 1) - x, height: Math.min(pixels.height, bottom + MARGIN + 1) - y };
}
