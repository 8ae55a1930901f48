import type { Objects } from "./small-pdf.ts";
import { concatBytes } from "../src/asn1/der-writer.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";

export const latin = latinText;

/** Replaces the last occurrence of a text by one of the same length. */
export function edited(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = latin(bytes);
  const at = text.lastIndexOf(from);
  if (at < 0 || from.length !== to.length) throw new Error(`nothing to edit: ${from}`);
  return latinBytes(text.slice(0, at) + to + text.slice(at + from.length));
}

type ForgedRevision = {
  readonly objects: Objects;
  /** Further entries of the table: an offset, or null for a free object. */
  readonly entries?: Readonly<Record<number, number | null>>;
  readonly root?: string;
  readonly unlisted?: string;
};

/** Appends a forged revision with a table. */
export function forgedRevision(
  bytes: Uint8Array,
  { objects, entries = {}, root, unlisted = "" }: ForgedRevision,
): Uint8Array {
  const text = latin(bytes);
  const trailer = text.slice(text.lastIndexOf("trailer"));
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1];
  let body = unlisted;
  const offsets: Record<number, number | null> = { ...entries };
  for (const [number, syntax] of Object.entries(objects)) {
    offsets[Number(number)] = bytes.length + body.length;
    body += `${number} 0 obj\n${syntax}\nendobj\n`;
  }
  const rows = Object.entries(offsets).map(([number, offset]) =>
    offset === null
      ? `${number} 1\n0000000000 00001 f\r\n`
      : `${number} 1\n${String(offset).padStart(10, "0")} 00000 n\r\n`,
  );
  const size = Math.max(
    Number(/\/Size (\d+)/.exec(trailer)?.[1]),
    ...Object.keys(offsets).map((number) => Number(number) + 1),
  );
  const start = bytes.length + body.length;
  const catalog = root ?? /\/Root (\d+ \d+ R)/.exec(trailer)?.[1];
  return concatBytes([
    bytes,
    latinBytes(
      `${body}xref\n${rows.join("")}trailer\n<</Size ${size}/Root ${catalog}/Prev ${previous}>>\nstartxref\n${start}\n%%EOF\n`,
    ),
  ]);
}

/** The last object whose one-line dictionary contains this text. */
export function lastObject(bytes: Uint8Array, marker: string): { number: number; syntax: string } {
  for (const match of [
    ...latin(bytes).matchAll(/(?:^|\n)(\d+) 0 obj\n(<<[^\n]*>>|\[[^\n]*\])\nendobj/g),
  ].toReversed()) {
    if (match[2]?.includes(marker)) return { number: Number(match[1]), syntax: match[2] };
  }
  throw new Error(`no object with ${marker}`);
}

/** Offsets of the update's parts; `xref` of its section. */
type Offsets = Readonly<Record<string, number>>;
export type ForgedUpdate = {
  /** The parts of the update, in order. */
  readonly parts: Readonly<Record<string, string>>;
  /** The table's rows, or with `stream` the whole cross-reference stream. */
  readonly rows?: (at: Offsets) => string;
  readonly stream?: (at: Offsets) => string;
  readonly trailer?: (text: string, at: Offsets) => string;
};

/** Appends an update with any detail right or wrong. */
export function forgedUpdate(
  bytes: Uint8Array,
  { parts, rows, stream, trailer = (text) => text }: ForgedUpdate,
): Uint8Array {
  let body = "";
  const offsets: Record<string, number> = {};
  for (const [name, text] of Object.entries(parts)) {
    offsets[name] = bytes.length + body.length;
    body += text;
  }
  offsets.xref = bytes.length + body.length;
  const entries = trailer(`/Size 999/Root 1 0 R/Prev ${previousOf(bytes)}`, offsets);
  const section = stream
    ? stream(offsets)
    : `xref\n${rows?.(offsets) ?? ""}trailer\n<<${entries}>>\n`;
  return concatBytes([bytes, latinBytes(`${body}${section}startxref\n${offsets.xref}\n%%EOF\n`)]);
}

/** The offset in the last `startxref`. */
export function previousOf(bytes: Uint8Array): string {
  return /startxref\s+(\d+)\s+%%EOF\s*$/.exec(latin(bytes))?.[1] ?? "";
}

/** A subsection of one row. */
export function tableRow(number: number, offset: number, generation = 0): string {
  return `${number} 1\n${String(offset).padStart(10, "0")} ${String(generation).padStart(5, "0")} n\r\n`;
}

type StreamRow = {
  readonly number: number;
  readonly kind: 0 | 1 | 2;
  readonly at: number;
  readonly last?: number;
};

/** A cross-reference stream as object 992 with eight-byte offsets, like pyHanko's. */
export function streamSection(bytes: Uint8Array, at: Offsets, rows: readonly StreamRow[]): string {
  const wide = (value: number, width: number): string =>
    Array.from({ length: width }, (_value, index) =>
      String.fromCharCode(Math.floor(value / 256 ** (width - 1 - index)) % 256),
    ).join("");
  const all = [...rows, { number: 992, kind: 1, at: at.xref ?? 0, last: 0 } as const];
  const data = all
    .map(({ kind, at: offset, last = 0 }) => wide(kind, 1) + wide(offset, 8) + wide(last, 2))
    .join("");
  const index = all.map(({ number }) => `${number} 1`).join(" ");
  return `992 0 obj\n<</Type/XRef/W[1 8 2]/Index[${index}]/Size 999/Root 1 0 R/Prev ${previousOf(bytes)}/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`;
}

/** Redefines the last object that contains this text, and adds further ones. */
export function redefined(
  bytes: Uint8Array,
  marker: string,
  change: (syntax: string) => string,
  more: Objects = {},
): Uint8Array {
  const { number, syntax } = lastObject(bytes, marker);
  return forgedRevision(bytes, { objects: { [number]: change(syntax), ...more } });
}

/** Gives the last dictionary that contains this text further entries. */
export function extended(
  bytes: Uint8Array,
  marker: string,
  entries: string,
  more: Objects = {},
): Uint8Array {
  return redefined(bytes, marker, (syntax) => `${syntax.slice(0, -2)}${entries}>>`, more);
}
