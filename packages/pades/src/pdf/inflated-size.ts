import { PadesError } from "../pades-error.ts";
import { findWord, latinText, wordAt } from "./byte-reader.ts";
import { inflate, inflatedLength } from "./inflated-length.ts";

const STREAM = "stream";
const MAX_INFLATED_BYTES = 200 * 1024 * 1024;
/** Pixels are counted apart, for nothing here looks at them: forty colour pages at 300 dpi, of which none is larger than A3 at 600. */
const MAX_PIXEL_BYTES = 1024 * 1024 * 1024;
/** A hundred million pixels in colour: a plan of a metre a side at 250 dpi. Counting them costs a quarter of a second. */
const MAX_PICTURE_BYTES = 400 * 1024 * 1024;
/** Deflated twice, or more: nobody does that honestly. */
const MAX_LAYERS = 4;
/** What making one code table costs, in bytes counted. */
const TABLE_COST = 12_288;
/** Readers differ on what may stand between the keyword and the data. */
const MOST_BLANKS = 4;

/** How far before its data a picture's dictionary begins. */
const PICTURE_HEAD = 1_024;
/** As many as any colour space of a picture has, without the bits of a mask. Source: ISO 32000-2 §8.9.5.2. */
const MOST_COMPONENTS = 4;
/** What a writer leaves behind the last row. */
const PICTURE_REST = 1_024;

/** What may still be counted; it may be shared by several counts. `pixels`: of pictures; `packed`: what those are inflated from. */
type Left = { bytes: number; pixels: number; packed: number };

/**
 * Counts what the file's streams inflate to, before anything parses them, and stops at the budget: what is made, what is read for it and
 * the code tables all count, for a stream may begin inside another one.
 * Shape: what a picture needs for its pixels is counted apart, each byte of the file once; whoever takes it
 * for something else counts again. A stream is known by its keyword and its first bytes, whatever its dictionary says;
 * what inflates to deflated data is counted inside as well.
 * Errors: PadesError `pdf_too_complex`.
 * Source: RFC 1950 §2.2 (the zlib header); RFC 1952 §2.3 (gzip's, which inflaters take as well); security §2.
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

/** Gives how many bytes the pixels have of the picture whose dictionary ends a text; 0 for what is no picture. Source: ISO 32000-2 §8.9.5.1. */
function pixelBytes(text: string): number {
  const dictionary = text.slice(text.lastIndexOf("obj") + 1);
  if (!/\/Subtype\s*\/Image\b/.test(dictionary) || /\/Type\s*\/(?:ObjStm|XRef)\b/.test(dictionary))
    return 0;
  const [width = 0, height = 0, bits = 8] = ["Width", "Height", "BitsPerComponent"].map((key) => {
    const value = new RegExp(`/${key}\\s+(\\d{1,6})\\b`).exec(dictionary)?.[1];
    return value === undefined ? undefined : Number(value);
  });
  // A byte before each row says how it is predicted. Source: ISO 32000-2 §7.4.4.4.
  return width > 0 && height > 0
    ? height * (1 + Math.ceil((width * MOST_COMPONENTS * bits) / 8)) + PICTURE_REST
    : 0;
}

/** Counts data that is no more than a picture's pixels, and says whether it is. */
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

/** Gives where deflated data begins behind the keyword; null when it is not deflated. */
function dataStart(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at <= from + MOST_BLANKS; at += 1) if (headerLength(bytes, at) > 0) return at;
  return null;
}

/** Gives the length of the header that stands before deflated data: zlib's (a window of at most 32 KB, and the check digits), or gzip's; else 0. */
function headerLength(bytes: Uint8Array, at: number): number {
  const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  if ((first & 15) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0) return 2;
  return first === 0x1f && second === 0x8b && bytes[at + 2] === 8
    ? gzipLength(bytes.subarray(at), bytes[at + 3] ?? 0)
    : 0;
}

/** Source: RFC 1952 §2.3.1: an extra field, a name, a comment and a check may follow the ten bytes. */
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
