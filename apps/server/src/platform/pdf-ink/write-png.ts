import { crc32, deflateSync } from "node:zlib";
import { type Picture, PIXEL_BYTES } from "./pdfium-document.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Eight bits a channel, red, green and blue. Source: PNG (W3C) §11.2.1. */
const TRUECOLOUR = [8, 2, 0, 0, 0] as const;
const CHANNELS = 3;

/** Gives a picture as a PNG. Source: PNG (W3C) §5, §7.2, §10. */
export function writePng(picture: Picture): Uint8Array {
  const { columns, rows } = picture;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, columns);
  view.setUint32(4, rows);
  header.set(TRUECOLOUR, 8);
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", deflateSync(scanlines(picture))), chunk("IEND", new Uint8Array())]);
}

/** Each row after the number of its filter: none. */
function scanlines({ columns, rows, stride, pixels }: Picture): Uint8Array {
  const out = new Uint8Array(rows * (1 + columns * CHANNELS));
  let to = 0;
  for (let row = 0; row < rows; row += 1) {
    to += 1;
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      out[to++] = pixels[at + 2] ?? 0;
      out[to++] = pixels[at + 1] ?? 0;
      out[to++] = pixels[at] ?? 0;
    }
  }
  return out;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
