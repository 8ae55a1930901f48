import { PadesError } from "../pades-error.ts";
import { findWord, latinText, wordAt } from "./byte-reader.ts";
import { inflate, inflatedLength } from "./inflated-length.ts";

const STREAM = "stream";
const MAX_INFLATED_BYTES = 200 * 1024 * 1024;
/** Counted apart, as nothing here reads pixels: forty colour A4 pages at 300 dpi. */
const MAX_PIXEL_BYTES = 1024 * 1024 * 1024;
/** A hundred million colour pixels; counting them takes a quarter of a second. */
const MAX_PICTURE_BYTES = 400 * 1024 * 1024;
/** No honest file deflates more often. */
const MAX_LAYERS = 4;
/** The cost of a code table, in bytes counted. */
const TABLE_COST = 12_288;
/** Readers differ on what may stand between keyword and data. */
const MOST_BLANKS = 4;

const PICTURE_HEAD = 1_024;
/** Every colour space of an image has at most four. Source: ISO 32000-2 §8.9.5.2. */
const MOST_COMPONENTS = 4;
/** What a writer leaves after the last row. */
const PICTURE_REST = 1_024;

/**
 * What may still be counted, shared by several counts. `pixels`: of images; `packed`: their
 * compressed bytes.
 */
type Left = { bytes: number; pixels: number; packed: number };

/**
 * Counts what a file's streams inflate to before anything parses them: output, input and code
 * tables all count, as a stream may begin inside another.
 * Shape: an image's pixels count apart, each byte of the file once. Streams are recognised by
 * keyword and first bytes, whatever their dictionary says; deflated data inside deflated data
 * counts too.
 * Errors: PadesError `pdf_too_complex`.
 * Source: RFC 1950 §2.2 (zlib); RFC 1952 §2.3 (gzip, which inflaters accept too); security §2.
 */
export async function requireBearableSize(bytes: Uint8Array): Promise<void> {
  const left: Left = { bytes: MAX_INFLATED_BYTES, pixels: MAX_PIXEL_BYTES, packed: bytes.length };
  for (
    let at = findWord(bytes, STREAM, 0);
    at < bytes.length;
    at = findWord(bytes, STREAM, at + STREAM.length)
  ) {
    if (wordAt(bytes, at - "end".length, "end")) continue;
    const start = dataStart(bytes, at + STREAM.length);
    if (start === null) continue;
    const dictionary = latinText(bytes.subarray(Math.max(0, at - PICTURE_HEAD), at));
    if (countsAsPicture(bytes.subarray(start), pixelBytes(dictionary), left)) continue;
    await countLayers(bytes.subarray(start), left);
  }
}

/**
 * The pixel bytes of the image whose dictionary ends this text; 0 for no image.
 * Source: ISO 32000-2 §8.9.5.1.
 */
function pixelBytes(text: string): number {
  const dictionary = text.slice(text.lastIndexOf("obj") + 1);
  if (!/\/Subtype\s*\/Image\b/.test(dictionary) || /\/Type\s*\/(?:ObjStm|XRef)\b/.test(dictionary))
    return 0;
  const [width = 0, height = 0, bits = 8] = ["Width", "Height", "BitsPerComponent"].map((key) => {
    const value = new RegExp(`/${key}\\s+(\\d{1,6})\\b`).exec(dictionary)?.[1];
    return value === undefined ? undefined : Number(value);
  });
  // Each row begins with a predictor byte. Source: ISO 32000-2 §7.4.4.4.
  return width > 0 && height > 0
    ? height * (1 + Math.ceil((width * MOST_COMPONENTS * bits) / 8)) + PICTURE_REST
    : 0;
}

/** Counts data as an image's pixels, or returns false. */
function countsAsPicture(data: Uint8Array, most: number, left: Left): boolean {
  if (most === 0) return false;
  const limit = Math.min(most, MAX_PICTURE_BYTES, left.pixels);
  const { length, consumed, head, tables } = inflatedLength(data, limit, headerLength(data, 0));
  if (length > limit || consumed > left.packed || isDeflatedAgain(head)) return false;
  left.pixels -= length;
  left.packed -= consumed;
  left.bytes -= tables * TABLE_COST;
  return true;
}

const isDeflatedAgain = (head: Uint8Array): boolean =>
  head.length === 2 && (headerLength(head, 0) > 0 || (head[0] === 0x1f && head[1] === 0x8b));

/** Where deflated data begins after the keyword; null for other data. */
function dataStart(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at <= from + MOST_BLANKS; at += 1) if (headerLength(bytes, at) > 0) return at;
  return null;
}

/** The length of a zlib header (window of at most 32 KB, check digits) or gzip header; else 0. */
function headerLength(bytes: Uint8Array, at: number): number {
  const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  if ((first & 15) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0) return 2;
  return first === 0x1f && second === 0x8b && bytes[at + 2] === 8
    ? gzipLength(bytes.subarray(at), bytes[at + 3] ?? 0)
    : 0;
}

/** Source: RFC 1952 §2.3.1: extra field, name, comment and checksum may follow ten bytes. */
function gzipLength(data: Uint8Array, flags: number): number {
  let length = 10;
  if (flags & 4) length += 2 + (data[length] ?? 0) + (data[length + 1] ?? 0) * 256;
  for (const flag of [8, 16]) if (flags & flag) length = data.indexOf(0, length) + 1 || data.length;
  return flags & 2 ? length + 2 : length;
}

async function countLayers(data: Uint8Array, left: Left): Promise<void> {
  let inner = data;
  for (let layer = 1; ; layer += 1) {
    const { length, consumed, head, tables } = inflatedLength(
      inner,
      left.bytes,
      headerLength(inner, 0),
    );
    left.bytes -= length + consumed + tables * TABLE_COST;
    const goesOn = isDeflatedAgain(head);
    if (left.bytes < 0 || (goesOn && layer >= MAX_LAYERS))
      throw new PadesError(
        "pdf_too_complex",
        `Expected at most ${MAX_INFLATED_BYTES} bytes once inflated`,
      );
    if (!goesOn) return;
    const next = await inflate(inner.subarray(0, consumed), length).catch(() => null);
    if (!next || headerLength(next, 0) === 0) return;
    inner = next;
  }
}
