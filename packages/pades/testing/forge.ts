import { concatBytes } from "../src/asn1/der-writer.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";

/** Gives a file's text, one character a byte. */
export const latin = latinText;

/** Replaces the last occurrence of a text by one of the same length. */
export function edited(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = latin(bytes);
  const at = text.lastIndexOf(from);
  if (at < 0 || from.length !== to.length) throw new Error(`nothing to edit: ${from}`);
  return latinBytes(text.slice(0, at) + to + text.slice(at + from.length));
}

export type ForgedRevision = {
  readonly objects: Readonly<Record<number, string>>;
  /** Entries of the table besides those of `objects`: an offset, or null to free the object. */
  readonly entries?: Readonly<Record<number, number | null>>;
  readonly root?: string;
  /** Objects that no table lists. */
  readonly unlisted?: string;
};

/** Appends a revision that a forger could write, with a cross-reference table. */
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

/** Gives the number and the syntax of the last definition of an object whose one-line dictionary holds this text. */
export function lastObject(bytes: Uint8Array, marker: string): { number: number; syntax: string } {
  for (const match of [
    ...latin(bytes).matchAll(/(?:^|\n)(\d+) 0 obj\n(<<[^\n]*>>|\[[^\n]*\])\nendobj/g),
  ].toReversed()) {
    if (match[2]?.includes(marker)) return { number: Number(match[1]), syntax: match[2] };
  }
  throw new Error(`no object with ${marker}`);
}
