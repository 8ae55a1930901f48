import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";
import type { IncrementalUpdate } from "../pdf/incremental-update.ts";
import { decodePng } from "./png.ts";

export type EmbeddedImage = { readonly number: number; readonly width: number; readonly height: number };

/** 25 million pixels: more than any photo of a signature needs, little enough to hold in memory. */
const MAX_PIXELS = 25_000_000;

/** Writes a PNG or JPEG image as an XObject. Errors: PadesError `invalid_image`. Source: ISO 32000-2 §8.9.5. */
export async function embedImage(update: IncrementalUpdate, bytes: Uint8Array): Promise<EmbeddedImage> {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return embedJpeg(update, bytes);
  const png = await decodePng(bytes, MAX_PIXELS);
  const [color, alpha] = await Promise.all([update.deflate(png.color), png.alpha ? update.deflate(png.alpha) : null]);
  const size = `/Type/XObject/Subtype/Image/Width ${png.width}/Height ${png.height}/BitsPerComponent 8`;
  const mask = alpha ? update.allocate() : null;
  if (mask !== null && alpha) update.putPacked(mask, `${size}/ColorSpace/DeviceGray`, alpha);
  const number = update.allocate();
  update.putPacked(number, `${size}/ColorSpace/DeviceRGB${mask === null ? "" : `/SMask ${mask} 0 R`}`, color);
  return { number, width: png.width, height: png.height };
}

async function embedJpeg(update: IncrementalUpdate, bytes: Uint8Array): Promise<EmbeddedImage> {
  const { width, height, components } = jpegSize(bytes);
  if (components !== 1 && components !== 3) throw invalid("a grey or colour JPEG");
  const space = components === 1 ? "DeviceGray" : "DeviceRGB";
  const number = update.allocate();
  const entries = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/${space}/Filter/DCTDecode`;
  update.putRaw(number, entries, concatBytes([bytes]));
  return { number, width, height };
}

/** Reads the frame header. Source: ITU-T T.81 §B.2.2. */
function jpegSize(bytes: Uint8Array): { width: number; height: number; components: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < bytes.length; ) {
    if (view.getUint8(at) !== 0xff) break;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7), components: view.getUint8(at + 9) };
      const inBounds = view.getUint8(at + 4) === 8 && size.width > 0 && size.height > 0 && size.width * size.height <= MAX_PIXELS;
      if (!inBounds) throw invalid("a JPEG of 8 bits and bearable size");
      return size;
    } else at += 2 + view.getUint16(at + 2);
  }
  throw invalid("a JPEG frame header");
}

function invalid(expected: string): PadesError {
  return new PadesError("invalid_image", `Expected ${expected}`);
}
