const CLEAR = 256;
const END = 257;
const MOST_CODES = 4_096;

/**
 * Counts what LZW data decodes to, no byte of it made; stops once the limit is passed, or at the first code that means nothing.
 * Source: ISO 32000-2 §7.4.4.2.
 */
export function lzwLength(data: Uint8Array, { early, limit }: { readonly early: number; readonly limit: number }): number {
  const lengths = new Uint32Array(MOST_CODES);
  let [next, width, previous, total, held, bits] = [END + 1, 9, 0, 0, 0, 0];
  for (const byte of data) {
    held = ((held << 8) | byte) & 0xff_ffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === END || total > limit) break;
    if (code === CLEAR) [next, width, previous] = [END + 1, 9, 0];
    else {
      const length = code < CLEAR ? 1 : code < next ? (lengths[code] ?? 0) : previous + 1;
      if (code > next) break;
      if (previous > 0 && next < MOST_CODES) {
        lengths[next] = previous + 1;
        next += 1;
      }
      total += length;
      previous = length;
      const full = next + (early === 0 ? 0 : 1);
      width = full >= 2_048 ? 12 : full >= 1_024 ? 11 : full >= 512 ? 10 : 9;
    }
  }
  return total;
}
