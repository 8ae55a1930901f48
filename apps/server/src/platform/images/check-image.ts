import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { formatDecimal } from "@paraphe/kernel/french-numbers";

type ImageSize = {
  readonly format: "png" | "jpeg" | "webp";
  readonly width: number;
  readonly height: number;
  readonly depth: number;
};

/** Reads the content; null for anything else. Pixels, before EXIF rotation. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 30) return null;
  // PNG, third edition, §5.2 and §11.2.1: the signature, then IHDR.
  if (
    view.getUint32(0) === 0x89504e47 &&
    view.getUint32(4) === 0x0d0a1a0a &&
    text(bytes, 12, 4) === "IHDR"
  ) {
    return {
      format: "png",
      width: view.getUint32(16),
      height: view.getUint32(20),
      depth: view.getUint8(24),
    };
  }
  if (view.getUint16(0) === 0xffd8) return readJpegSize(view);
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 4) === "WEBP")
    return readWebpSize(view, text(bytes, 12, 4));
  return null;
}

/** ITU-T T.81 §B.2.2: the first frame header. */
function readJpegSize(view: DataView): ImageSize | null {
  let offset = 2;
  while (offset + 9 < view.byteLength) {
    if (view.getUint8(offset) !== 0xff) return null;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    const isFrame =
      marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return {
        format: "jpeg",
        width: view.getUint16(offset + 7),
        height: view.getUint16(offset + 5),
        depth: view.getUint8(offset + 4),
      };
    }
    offset += 2 + view.getUint16(offset + 2);
  }
  return null;
}

/** RFC 9649 §2.5 to §2.7: simple lossy, simple lossless, extended. */
function readWebpSize(view: DataView, chunk: string): ImageSize | null {
  if (chunk === "VP8 ")
    return {
      format: "webp",
      width: view.getUint16(26, true) & 0x3fff,
      height: view.getUint16(28, true) & 0x3fff,
      depth: 8,
    };
  if (chunk === "VP8L") {
    const bits = view.getUint32(21, true);
    return {
      format: "webp",
      width: (bits & 0x3fff) + 1,
      height: ((bits >>> 14) & 0x3fff) + 1,
      depth: 8,
    };
  }
  if (chunk !== "VP8X") return null;
  const uint24 = (offset: number) =>
    view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
  return { format: "webp", width: uint24(24) + 1, height: uint24(27) + 1, depth: 8 };
}

function text(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

/**
 * Security line 53: phones take 24 to 50 megapixels, decoded at full size in 455 MB and 9 s at most.
 */
const MAXIMUM_PIXELS = 40_000_000;
/** 16-bit pictures may have half as many. */
const MAXIMUM_DECODED_BYTES = 4 * MAXIMUM_PIXELS;

/**
 * Decodes nothing. Errors: `invalid_image` unless PNG, JPEG or WebP by content; `image_too_large`.
 */
export function checkImage(bytes: Uint8Array): Result<ImageSize, Problem> {
  const size = readImageSize(bytes);
  if (size === null || size.width < 1 || size.height < 1) return failure(problem("invalid_image"));
  const bytesPerPixel = 4 * Math.max(1, size.depth / 8);
  if (size.width * size.height * bytesPerPixel <= MAXIMUM_DECODED_BYTES) return success(size);
  const megapixels = formatDecimal(MAXIMUM_DECODED_BYTES / bytesPerPixel / 1e6);
  return failure(problem("image_too_large", { params: { megapixels } }));
}
