import { equalBytes } from "../asn1/der-reader.ts";
import { concatBytes } from "../asn1/der-writer.ts";
import { digest } from "../cryptography.ts";
import { PadesError } from "../pades-error.ts";
import { findWord, latinText, wordAt, spend, type WorkBudget, workBudget } from "./byte-reader.ts";
import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";

/**
 * `consumed`: input bytes read; `reach`: input bytes that the count depends on; `head`: two inflated
 * bytes; `tables`: of codes.
 */
type InflatedLength = {
  readonly length: number;
  readonly consumed: number;
  readonly reach: number;
  readonly head: Uint8Array;
  readonly tables: number;
};

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const LENGTH_EXTRA = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;
const ZLIB_HEADER = 2;
const HEAD_BYTES = 2;
const DYNAMIC = 2;

type Output = { length: number; readonly head: number[] };

/** Least significant first; zeros past the end, which `at` shows. */
type Bits = { readonly data: Uint8Array; at: number; held: number; count: number };
/** The next `width` bits give symbol × 16 + code length. */
type Codes = { readonly width: number; readonly table: Uint16Array };

/**
 * Counts what zlib data inflates to, up to `limit` or invalid data, without a window.
 * Shape: `header`: bytes before the data.
 * Source: RFC 1950 §2.2; RFC 1951 §3.2.
 */
export function inflatedLength(
  data: Uint8Array,
  limit: number,
  header = ZLIB_HEADER,
): InflatedLength {
  const bits: Bits = { data, at: header, held: 0, count: 0 };
  const output: Output = { length: 0, head: [] };
  let tables = 0;
  for (let last = 0; last === 0 && output.length <= limit && bits.at <= data.length; ) {
    last = take(bits, 1);
    const kind = take(bits, 2);
    if (kind === DYNAMIC) tables += 1;
    if (!(kind === 0 ? countStored(bits, output) : countPacked(bits, output, { kind, limit })))
      break;
  }
  const { length, head } = output;
  const end = bits.at - (bits.count >> 3) + 4;
  return {
    length,
    consumed: Math.min(data.length, end),
    reach: Math.max(bits.at, end),
    head: Uint8Array.from(head),
    tables,
  };
}

function need(bits: Bits, count: number): void {
  while (bits.count < count) {
    bits.held |= (bits.data[bits.at] ?? 0) << bits.count;
    bits.at += 1;
    bits.count += 8;
  }
}

function take(bits: Bits, count: number): number {
  if (count === 0) return 0;
  need(bits, count);
  const value = bits.held & ((1 << count) - 1);
  bits.held >>>= count;
  bits.count -= count;
  return value;
}

function countStored(bits: Bits, output: Output): boolean {
  take(bits, bits.count & 7);
  const [length, check] = [take(bits, 16), take(bits, 16)];
  if ((length ^ check) !== 0xffff) return false;
  const start = bits.at - (bits.count >> 3);
  for (let at = start; output.head.length < HEAD_BYTES && at < start + length; at += 1)
    output.head.push(bits.data[at] ?? 0);
  bits.at = start + length;
  bits.held = 0;
  bits.count = 0;
  output.length += length;
  return true;
}

function countPacked(
  bits: Bits,
  output: Output,
  { kind, limit }: { readonly kind: number; readonly limit: number },
): boolean {
  const codes = kind === 1 ? fixedCodes() : kind === DYNAMIC ? dynamicCodes(bits) : null;
  if (!codes) return false;
  let { length } = output;
  let symbol = 0;
  while (length <= limit && bits.at <= bits.data.length + 4) {
    if (length >= HEAD_BYTES) length += skipLiterals(bits, codes.literals);
    symbol = next(bits, codes.literals);
    if (symbol < 0 || symbol === END_OF_BLOCK) break;
    if (length < HEAD_BYTES)
      output.head.push(symbol < END_OF_BLOCK ? symbol : (output.head[0] ?? 0));
    if (symbol < END_OF_BLOCK) {
      length += 1;
      continue;
    }
    length += (LENGTH_BASE[symbol - 257] ?? 0) + take(bits, LENGTH_EXTRA[symbol - 257] ?? 0);
    symbol = next(bits, codes.distances);
    if (symbol < 0) break;
    if (symbol > 3) take(bits, (symbol >> 1) - 1);
  }
  output.length = length;
  return symbol >= 0;
}

function skipLiterals(bits: Bits, { width, table }: Codes): number {
  const { data } = bits;
  const mask = (1 << width) - 1;
  let [passed, at, held, count] = [0, bits.at, bits.held, bits.count];
  while (at < data.length) {
    while (count < width) {
      held |= (data[at] ?? 0) << count;
      at += 1;
      count += 8;
    }
    const entry = table[held & mask] ?? 0;
    const used = entry & 15;
    if (used === 0 || entry >= END_OF_BLOCK << 4) break;
    held >>>= used;
    count -= used;
    passed += 1;
  }
  bits.at = at;
  bits.held = held;
  bits.count = count;
  return passed;
}

function next(bits: Bits, { width, table }: Codes): number {
  need(bits, width);
  const entry = table[bits.held & ((1 << width) - 1)] ?? 0;
  const used = entry & 15;
  if (used === 0) return -1;
  bits.held >>>= used;
  bits.count -= used;
  return entry >> 4;
}

/** Source: RFC 1951 §3.2.2. */
function codesOf(lengths: readonly number[]): Codes {
  const width = Math.max(1, ...lengths);
  const table = new Uint16Array(1 << width);
  let code = 0;
  for (let bitLength = 1; bitLength <= width; bitLength += 1) {
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      if (lengths[symbol] !== bitLength) continue;
      for (let at = reversed(code, bitLength); at < table.length; at += 1 << bitLength)
        table[at] = symbol * 16 + bitLength;
      code += 1;
    }
    code <<= 1;
  }
  return { width, table };
}

function reversed(code: number, length: number): number {
  let out = 0;
  for (let bit = 0; bit < length; bit += 1) out |= ((code >> bit) & 1) << (length - 1 - bit);
  return out;
}

let fixed: { literals: Codes; distances: Codes } | null = null;
function fixedCodes(): { literals: Codes; distances: Codes } {
  fixed ??= {
    literals: codesOf(
      Array.from({ length: 288 }, (_, symbol) =>
        symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
      ),
    ),
    distances: codesOf(Array.from({ length: 30 }, () => 5)),
  };
  return fixed;
}

/** Source: RFC 1951 §3.2.7. */
function dynamicCodes(bits: Bits): { literals: Codes; distances: Codes } | null {
  const [literalCount, distanceCount, codeCount] = [
    take(bits, 5) + 257,
    take(bits, 5) + 1,
    take(bits, 4) + 4,
  ];
  const codeLengths = Array.from({ length: 19 }, () => 0);
  for (let index = 0; index < codeCount; index += 1)
    codeLengths[CODE_ORDER[index] ?? 0] = take(bits, 3);
  const codes = codesOf(codeLengths);
  const lengths: number[] = [];
  while (lengths.length < literalCount + distanceCount) {
    const symbol = next(bits, codes);
    if (symbol < 0 || bits.at > bits.data.length + 4) return null;
    if (symbol < 16) lengths.push(symbol);
    else {
      const [value, times] =
        symbol === 16
          ? [lengths.at(-1) ?? 0, 3 + take(bits, 2)]
          : [0, symbol === 17 ? 3 + take(bits, 3) : 11 + take(bits, 7)];
      for (let time = 0; time < times; time += 1) lengths.push(value);
    }
  }
  return {
    literals: codesOf(lengths.slice(0, literalCount)),
    distances: codesOf(lengths.slice(literalCount, literalCount + distanceCount)),
  };
}

const CLEAR = 256;
const END = 257;
const MOST_CODES = 4_096;

/**
 * Counts what LZW data decodes to, up to the limit or an invalid code.
 * Source: ISO 32000-2 §7.4.4.2.
 */
export function lzwLength(
  data: Uint8Array,
  { early, limit }: { readonly early: number; readonly limit: number },
): number {
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

/** Zlib data for `/FlateDecode` (ISO 32000-2 §7.4.4). */
export async function deflate(data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(
      new Blob([data as Uint8Array<ArrayBuffer>])
        .stream()
        .pipeThrough(new CompressionStream("deflate")),
    ).arrayBuffer(),
  );
}

/** Inflates zlib data. Errors: `invalid_image` for invalid data or beyond the limit. */
export async function inflate(data: Uint8Array, limitBytes: number): Promise<Uint8Array> {
  const reader = new Blob([data as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"))
    .getReader();
  // Allocating the whole limit would cost more than most data.
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return concatBytes(parts);
      if (length + value.length > limitBytes) break;
      parts.push(value);
      length += value.length;
    }
  } catch (cause) {
    throw new PadesError("invalid_image", "Expected zlib data", { cause });
  }
  await reader.cancel();
  throw new PadesError("invalid_image", `Expected at most ${limitBytes} bytes of pixels`);
}

const STREAM = "stream";
const MAX_INFLATED_BYTES = 200 * 1024 * 1024;
/** Counted apart, as nothing here reads pixels: forty colour A4 pages at 300 dpi. */
const MAX_PIXEL_BYTES = 1024 * 1024 * 1024;
/** A hundred million colour pixels, counted in a quarter of a second. */
const MAX_PICTURE_BYTES = 400 * 1024 * 1024;
/** No honest file deflates more often. */
const MAX_LAYERS = 4;
const TABLE_COST = 12_288;
/** Readers differ on what may stand between keyword and data. */
const MOST_BLANKS = 4;

const PICTURE_HEAD = 1_024;
/** Source: ISO 32000-2 §8.9.5.2. */
const MOST_COMPONENTS = 4;
/** What a writer leaves after the last row. */
const PICTURE_REST = 1_024;

/** `pixels`: of images; `packed`: their compressed bytes. */
type Left = { bytes: number; pixels: number; packed: number };

const COUNTED = new Map<string, InflatedLength & { readonly sha256: Uint8Array }>();
const MOST_COUNTED = 512;
/** Counting shorter data costs less than comparing it. */
const SHORTEST_COUNTED = 1_024;
const SAMPLES = [0, 1_000, 20_000] as const;
const SAMPLE_BYTES = 24;

/**
 * Counts the same bytes once: those of a document are counted again at each of its revisions. The
 * SHA-256 of all that a count depends on tells them from others.
 */
async function countOnce(data: Uint8Array, limit: number): Promise<InflatedLength> {
  const name = SAMPLES.map((at) => latinText(data.subarray(at, at + SAMPLE_BYTES))).join("");
  const known = COUNTED.get(name);
  if (known && known.reach < data.length && known.length <= limit) {
    const sha256 = await digest("SHA-256", data.subarray(0, known.reach));
    if (equalBytes(sha256, known.sha256)) return known;
    // Compared in vain once only: otherwise lookalikes would cost more than their budget.
    COUNTED.delete(name);
  }
  const found = inflatedLength(data, limit, headerLength(data, 0));
  // Cut off by the limit or by the end of the file, it depends on more than these bytes.
  if (found.length > limit || found.reach >= data.length || found.consumed < SHORTEST_COUNTED)
    return found;
  const sha256 = await digest("SHA-256", data.subarray(0, found.reach));
  COUNTED.delete(name);
  COUNTED.set(name, { ...found, sha256 });
  const oldest = COUNTED.size > MOST_COUNTED ? COUNTED.keys().next().value : undefined;
  if (oldest !== undefined) COUNTED.delete(oldest);
  return found;
}

/**
 * Counts what a file's streams inflate to before anything parses them: output, input and code
 * tables all count, as a stream may begin inside another.
 * Errors: `pdf_too_complex`.
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
    if (await countsAsPicture(bytes.subarray(start), pixelBytes(dictionary), left)) continue;
    await countLayers(bytes.subarray(start), left);
  }
}

/** 0 for no image. Source: ISO 32000-2 §8.9.5.1. */
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

async function countsAsPicture(data: Uint8Array, most: number, left: Left): Promise<boolean> {
  if (most === 0) return false;
  const limit = Math.min(most, MAX_PICTURE_BYTES, left.pixels);
  const { length, consumed, head, tables } = await countOnce(data, limit);
  if (length > limit || consumed > left.packed || isDeflatedAgain(head)) return false;
  left.pixels -= length;
  left.packed -= consumed;
  left.bytes -= tables * TABLE_COST;
  return true;
}

const isDeflatedAgain = (head: Uint8Array): boolean =>
  head.length === 2 && (headerLength(head, 0) > 0 || (head[0] === 0x1f && head[1] === 0x8b));

/** Null where no deflated data follows the keyword. */
function dataStart(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at <= from + MOST_BLANKS; at += 1) if (headerLength(bytes, at) > 0) return at;
  return null;
}

/** Of zlib (window of at most 32 KB, check digits) or gzip; else 0. */
function headerLength(bytes: Uint8Array, at: number): number {
  const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  if ((first & 15) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0) return 2;
  return first === 0x1f && second === 0x8b && bytes[at + 2] === 8
    ? gzipLength(bytes.subarray(at), bytes[at + 3] ?? 0)
    : 0;
}

/** Source: RFC 1952 §2.3.1. */
function gzipLength(data: Uint8Array, flags: number): number {
  let length = 10;
  if (flags & 4) length += 2 + (data[length] ?? 0) + (data[length + 1] ?? 0) * 256;
  for (const flag of [8, 16]) if (flags & flag) length = data.indexOf(0, length) + 1 || data.length;
  return flags & 2 ? length + 2 : length;
}

async function countLayers(data: Uint8Array, left: Left): Promise<void> {
  let inner = data;
  for (let layer = 1; ; layer += 1) {
    const { length, consumed, head, tables } = await countOnce(inner, left.bytes);
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

/** Above what an upload may inflate to. */
const LEAST_BYTES = 256 * 1024 * 1024;
const BUDGETS = new WeakMap<object, WorkBudget>();
/** Filters that barely expand their input. */
const MODEST = new Set(["ASCIIHexDecode", "ASCII85Decode"]);
/** The most that one byte yields. Source: ISO 32000-2 §7.4.5. */
const RUN = 64;

export function decodingBudget(open: { readonly bytes: Uint8Array }): WorkBudget {
  const budget = BUDGETS.get(open) ?? { left: Math.max(LEAST_BYTES, workBudget(open.bytes).left) };
  BUDGETS.set(open, budget);
  return budget;
}

/**
 * Each filter is counted before it runs.
 * Errors: `pdf_too_complex` once the budget is spent; `pdf_damaged` for a predictor
 * without columns, an endless loop in the parser; the parser's own errors.
 * Source: ISO 32000-2 §7.4.
 */
export function decodedData(stream: PdfStream, budget: WorkBudget): Uint8Array {
  const filters = listOf(stream.get("Filter"));
  const parameters = listOf(stream.get("DecodeParms"));
  let { data } = stream;
  for (const [index, filter] of filters.entries()) {
    const name = filter instanceof PdfName ? filter.value : "";
    const own = parameters[index];
    requireColumns(own);
    spend(budget, costOf(name, data, { own, left: budget.left }));
    data = PdfStream.fromDict(
      own instanceof PdfDict
        ? { Filter: PdfName.of(name), DecodeParms: own }
        : { Filter: PdfName.of(name) },
      data,
    ).getDecodedData();
  }
  if (filters.length === 0) spend(budget, data.length);
  return data;
}

function listOf(value: unknown): readonly unknown[] {
  if (value instanceof PdfArray) return value.toArray();
  return value === undefined ? [] : [value];
}

function costOf(
  name: string,
  data: Uint8Array,
  { own, left }: { readonly own: unknown; readonly left: number },
): number {
  if (name === "FlateDecode") return inflatedLength(data, left).length + data.length;
  if (name === "LZWDecode")
    return lzwLength(data, {
      early: own instanceof PdfDict ? numberOf(own, "EarlyChange", 1) : 1,
      limit: left,
    });
  return MODEST.has(name) ? data.length * 4 : data.length * RUN;
}

/** Source: ISO 32000-2 §7.4.4.3, table 8. */
function requireColumns(parameters: unknown): void {
  if (!(parameters instanceof PdfDict) || numberOf(parameters, "Predictor", 1) === 1) return;
  const bits =
    numberOf(parameters, "Columns", 1) *
    numberOf(parameters, "Colors", 1) *
    numberOf(parameters, "BitsPerComponent", 8);
  if (!(bits >= 1 && bits < 2 ** 31))
    throw new PadesError("pdf_damaged", "Expected rows of some columns", {
      clause: "ISO 32000-2 §7.4.4.3",
    });
}

function numberOf(dictionary: PdfDict, key: string, otherwise: number): number {
  const value = dictionary.get(key);
  return value instanceof PdfNumber ? value.value : otherwise;
}
