import { inflate } from "../pdf/deflate.ts";
import { type Syntax, wholeNumber, wholeNumbers } from "./pdf-syntax.ts";

/**
 * One row of a cross-reference section. `at` is the offset of a plain object, or for a packed one the number of the object stream that
 * holds it; `index` its place in there.
 */
export type XrefRow = {
  readonly number: number;
  readonly kind: "free" | "plain" | "packed";
  readonly at: number;
  readonly generation: number;
  readonly index: number;
};
type Dictionary = ReadonlyMap<string, Syntax>;

const LIMIT_BYTES = 16 << 20;
const MAX_WIDTH = 8;
const KINDS = ["free", "plain", "packed"] as const;

/**
 * Reads the rows of a table, each exactly 20 bytes, each subsection as long as it says.
 * Shape: a subsection that begins at 1 with a free row is refused: some readers take it for the head of the free list, and count from 0.
 * Source: ISO 32000-2 §7.5.4.
 */
export function readTableRows(text: string, from: number): { rows: readonly XrefRow[]; end: number } | null {
  const rows: XrefRow[] = [];
  const head = /(\d{1,10}) (\d{1,10})[ ]?(?:\r\n|\n|\r)/y;
  const line = /(\d{10}) (\d{5}) ([nf])(?: \r| \n|\r\n)/y;
  let at = from;
  for (;;) {
    head.lastIndex = at;
    const subsection = head.exec(text);
    if (!subsection) return { rows, end: at };
    at += subsection[0].length;
    const [first, count] = [Number(subsection[1]), Number(subsection[2])];
    for (let index = 0; index < count; index += 1) {
      line.lastIndex = at;
      const row = line.exec(text);
      if (!row || (first === 1 && index === 0 && row[3] === "f")) return null;
      const kind = row[3] === "n" ? "plain" : "free";
      rows.push({ number: first + index, kind, at: Number(row[1]), generation: Number(row[2]), index: 0 });
      at += row[0].length;
    }
  }
}

/** Reads the rows of a cross-reference stream, no byte left over. Source: ISO 32000-2 §7.5.8.2, §7.5.8.3. */
export async function readStreamRows(entries: Dictionary, data: Uint8Array): Promise<readonly XrefRow[] | null> {
  const widths = wholeNumbers(entries.get("W")) ?? [];
  const size = wholeNumber(entries.get("Size"));
  const runs = entries.has("Index") ? wholeNumbers(entries.get("Index")) : [0, size ?? 0];
  const rowLength = widths.reduce((sum, width) => sum + width, 0);
  if (widths.length !== 3 || widths.some((width) => width > MAX_WIDTH) || rowLength === 0 || !runs || runs.length % 2 !== 0) return null;
  const bytes = await unpacked(entries, data, rowLength);
  const numbers = bytes ? numbersOf(runs, bytes.length / rowLength) : null;
  if (!bytes || !numbers) return null;
  const rows: XrefRow[] = [];
  for (const [index, number] of numbers.entries()) {
    const row = rowOf(bytes.subarray(index * rowLength, (index + 1) * rowLength), widths, number);
    if (!row) return null;
    rows.push(row);
  }
  return rows;
}

/** Gives the object numbers of runs that make up exactly so many rows. */
function numbersOf(runs: readonly number[], count: number): readonly number[] | null {
  const lengths = runs.filter((_value, index) => index % 2 === 1);
  if (lengths.reduce((sum, length) => sum + length, 0) !== count) return null;
  return lengths.flatMap((length, run) => Array.from({ length }, (_value, index) => (runs[run * 2] ?? 0) + index));
}

function rowOf(bytes: Uint8Array, [first = 0, second = 0, third = 0]: readonly number[], number: number): XrefRow | null {
  const kind = KINDS[first === 0 ? 1 : valueOf(bytes.subarray(0, first))];
  const [at, last] = [valueOf(bytes.subarray(first, first + second)), valueOf(bytes.subarray(first + second, first + second + third))];
  if (!kind || !Number.isSafeInteger(at)) return null;
  return kind === "packed" ? { number, kind, at, generation: 0, index: last } : { number, kind, at, generation: last, index: 0 };
}

function valueOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** Gives the data of a stream that is plain or deflated, without predictors; null for any other packing. */
export async function plainData(entries: Dictionary, data: Uint8Array): Promise<Uint8Array | null> {
  const filter = entries.get("Filter");
  if (filter === undefined) return data;
  const only = filter.kind === "array" && filter.items.length === 1 ? filter.items[0] : filter;
  if (only?.kind !== "name" || only.text !== "FlateDecode") return null;
  return inflate(data, LIMIT_BYTES).catch(() => null);
}

async function unpacked(entries: Dictionary, data: Uint8Array, rowLength: number): Promise<Uint8Array | null> {
  const rows = await plainData(entries, data);
  const parameters = entries.get("DecodeParms");
  if (!rows || !parameters) return rows;
  const only = parameters.kind === "array" && parameters.items.length === 1 ? parameters.items[0] : parameters;
  if (only?.kind !== "dictionary" || !entries.has("Filter")) return null;
  if ((wholeNumber(only.entries.get("Predictor")) ?? 1) < 10) return rows;
  return wholeNumber(only.entries.get("Columns")) === rowLength ? withoutPredictor(rows, rowLength) : null;
}

/** Undoes the PNG filters that cross-reference streams use: none, sub and up. */
function withoutPredictor(rows: Uint8Array, rowLength: number): Uint8Array | null {
  const count = Math.floor(rows.length / (rowLength + 1));
  const out = new Uint8Array(count * rowLength);
  for (let row = 0; row < count; row += 1) {
    const filter = rows[row * (rowLength + 1)] ?? 0;
    if (filter > 2) return null;
    for (let column = 0; column < rowLength; column += 1) {
      const at = row * rowLength + column;
      const left = filter === 1 && column > 0 ? (out[at - 1] ?? 0) : 0;
      const above = filter === 2 && row > 0 ? (out[at - rowLength] ?? 0) : 0;
      out[at] = ((rows[row * (rowLength + 1) + 1 + column] ?? 0) + left + above) & 255;
    }
  }
  return out;
}
