import { PadesError } from "../pades-error.ts";
import { inflate } from "./deflate.ts";
import { inflatedLength } from "./inflated-length.ts";

const MAX_INFLATED_BYTES = 200 * 1024 * 1024;
/** Deflated twice, or more: nobody does that honestly. */
const MAX_LAYERS = 4;
/** What making one code table costs, in bytes counted. */
const TABLE_COST = 12_288;
/** Readers differ on what may stand between the keyword and the data. */
const MOST_BLANKS = 4;

/** What may still be counted; it may be shared by several counts. */
type Left = { bytes: number };

/**
 * Counts what the file's streams inflate to, before anything parses them, and stops at the budget: what is made, what is read for it and
 * the code tables all count, for a stream may begin inside another one.
 * Shape: `text` has one character a byte. A stream is known by its keyword and its first bytes, whatever its dictionary says;
 * what inflates to deflated data is counted inside as well.
 * Errors: PadesError `pdf_too_complex`.
 * Source: RFC 1950 §2.2 (the zlib header); RFC 1952 §2.3 (gzip's, which inflaters take as well); security §2.
 */
export async function requireBearableSize(bytes: Uint8Array, text: string): Promise<void> {
  const left: Left = { bytes: MAX_INFLATED_BYTES };
  for (let at = text.indexOf("stream"); at >= 0; at = text.indexOf("stream", at + 6)) {
    if (text.slice(at - 3, at) === "end") continue;
    const start = dataStart(bytes, at + 6);
    if (start !== null) await countLayers(bytes.subarray(start), left);
  }
}

/** Gives where deflated data begins behind the keyword; null when it is not deflated. */
function dataStart(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at <= from + MOST_BLANKS; at += 1) if (headerLength(bytes, at) > 0) return at;
  return null;
}

/** Gives the length of the header that stands before deflated data: zlib's (a window of at most 32 KB, and the check digits), or gzip's; else 0. */
function headerLength(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, flags = 0] = bytes.subarray(at, at + 4);
  if ((first & 15) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0) return 2;
  return first === 0x1f && second === 0x8b && third === 8 ? gzipLength(bytes.subarray(at), flags) : 0;
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
    const { length, consumed, head, tables } = inflatedLength(inner, left.bytes, headerLength(inner, 0));
    left.bytes -= length + consumed + tables * TABLE_COST;
    const goesOn = head.length === 2 && (headerLength(head, 0) > 0 || (head[0] === 0x1f && head[1] === 0x8b));
    if (left.bytes < 0 || (goesOn && layer >= MAX_LAYERS))
      throw new PadesError("pdf_too_complex", `Expected at most ${MAX_INFLATED_BYTES} bytes once inflated`);
    if (!goesOn) return;
    const next = await inflate(inner.subarray(0, consumed), length).catch(() => null);
    if (!next || headerLength(next, 0) === 0) return;
    inner = next;
  }
}
