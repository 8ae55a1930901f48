import { concatBytes } from "../src/asn1/der-writer.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latin } from "./forge.ts";

/** Offsets of the parts of an update by their names; `xref` is where its section begins. */
type Offsets = Readonly<Record<string, number>>;
export type ForgedUpdate = {
  /** What the update consists of, in order. */
  readonly parts: Readonly<Record<string, string>>;
  /** The rows of a table, or with `stream` the whole object of a cross-reference stream. */
  readonly rows?: (at: Offsets) => string;
  readonly stream?: (at: Offsets) => string;
  /** Changes the trailer's text. */
  readonly trailer?: (text: string, at: Offsets) => string;
};

/** Appends an update as a forger could write it, right or wrong in every detail. */
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

/** Gives the offset that the last `startxref` names. */
export function previousOf(bytes: Uint8Array): string {
  return /startxref\s+(\d+)\s+%%EOF\s*$/.exec(latin(bytes))?.[1] ?? "";
}

/** One subsection of one row. */
export function tableRow(number: number, offset: number, generation = 0): string {
  return `${number} 1\n${String(offset).padStart(10, "0")} ${String(generation).padStart(5, "0")} n\r\n`;
}

type StreamRow = {
  readonly number: number;
  readonly kind: 0 | 1 | 2;
  readonly at: number;
  readonly last?: number;
};

/** A cross-reference stream as object 992, which stands at `xref`; offsets are eight bytes wide, as pyHanko writes them. */
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
