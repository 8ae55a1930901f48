import { deflateSync } from "node:zlib";

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1)
    value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

function chunk(type: string, body: Uint8Array): Buffer {
  const data = Buffer.concat([Buffer.from(type, "latin1"), body]);
  let crc = 0xffff_ffff;
  for (const byte of data) crc = (CRC[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  const frame = Buffer.alloc(4 + data.length + 4);
  frame.writeUInt32BE(body.length, 0);
  data.copy(frame, 4);
  frame.writeUInt32BE((crc ^ 0xffff_ffff) >>> 0, 4 + data.length);
  return frame;
}

export type PngParts = {
  width: number;
  height: number;
  depth: number;
  colorType: number;
  interlace?: number;
  raw: Uint8Array;
  palette?: Uint8Array;
  transparency?: Uint8Array;
};

/** A PNG from rows, each with its filter byte. */
export function makePng({
  width,
  height,
  depth,
  colorType,
  interlace = 0,
  raw,
  palette,
  transparency,
}: PngParts): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlace], 8);
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
  ];
  if (palette) parts.push(chunk("PLTE", palette));
  if (transparency) parts.push(chunk("tRNS", transparency));
  parts.push(chunk("IDAT", deflateSync(raw)), chunk("IEND", new Uint8Array()));
  return new Uint8Array(Buffer.concat(parts));
}

/** Two by two pixels: red, green, blue, black; the last one transparent in `rgba`. */
export function tinyPng(kind: "rgb" | "rgba"): Uint8Array {
  const pixels = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [0, 0, 255, 255],
    [0, 0, 0, 0],
  ].map((pixel) => pixel.slice(0, kind.length));
  const raw = Uint8Array.from([0, ...pixels.slice(0, 2).flat(), 0, ...pixels.slice(2).flat()]);
  return makePng({ width: 2, height: 2, depth: 8, colorType: kind === "rgb" ? 2 : 6, raw });
}

export function tinyJpeg(): Uint8Array {
  return new Uint8Array(
    Buffer.from(
      "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
      "base64",
    ),
  );
}
