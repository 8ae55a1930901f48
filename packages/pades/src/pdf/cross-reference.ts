import type { PdfRef } from "@libpdf/core";
import { concatBytes } from "../asn1/der-writer.ts";
import { PadesError } from "../pades-error.ts";
import { type RawDictionary, wholeNumber } from "./raw-objects.ts";

export type XrefEntry =
  | { readonly kind: "plain"; readonly offset: number; readonly generation: number }
  | { readonly kind: "packed"; readonly stream: number; readonly index: number }
  | { readonly kind: "free" };

/** All sections together, with the newest trailer. */
export type CrossReference = {
  readonly startXref: number;
  readonly style: "table" | "stream";
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly trailer: RawDictionary;
  readonly named: readonly PdfRef[];
  /** Some readers ignore an `XRefStm`. Source: ISO 32000-2 §7.5.8.4 (XRefStm). */
  readonly isHybrid: boolean;
  /** Whether the parser reads the file itself the same way. */
  readonly isPlain: boolean;
};

export function sameEntry(left: XrefEntry, right: XrefEntry): boolean {
  if (left.kind === "plain" && right.kind === "plain")
    return left.offset === right.offset && left.generation === right.generation;
  if (left.kind === "packed" && right.kind === "packed")
    return left.stream === right.stream && left.index === right.index;
  return left.kind === right.kind;
}

const ENCODER = new TextEncoder();
const KEPT = ["Root", "Info", "ID", "Encrypt"];
/** Type, offset or object stream, generation or index. */
const WIDTHS = [1, 5, 4] as const;
/** The parser's limit of an array. */
const MAX_RUNS = 40_000;
const ROW = WIDTHS[0] + WIDTHS[1] + WIDTHS[2];

/**
 * The same bytes, then a cross-reference stream with every object, for the parser alone.
 * Errors: PadesError `pdf_too_complex` for object numbers scattered as no producer does.
 */
export function xrefView(
  bytes: Uint8Array,
  xref: Pick<CrossReference, "entries" | "trailer">,
): Uint8Array {
  const listed = [...xref.entries]
    .filter(([, entry]) => entry.kind !== "free")
    .toSorted(([left], [right]) => left - right);
  const rows = new Uint8Array(listed.length * ROW);
  for (const [index, [, entry]] of listed.entries()) writeRow(rows, index * ROW, entry);
  const number = Math.max(wholeNumber(xref.trailer, "Size") ?? 0, (listed.at(-1)?.[0] ?? 0) + 1);
  const kept = KEPT.flatMap((key) => {
    const value = xref.trailer.entries.get(key);
    return value ? [ENCODER.encode(`/${key} `), value.bytes, ENCODER.encode(" ")] : [];
  });
  const index = runsOf(listed.map(([object]) => object)).join(" ");
  const head = ENCODER.encode(
    `\n${number} 0 obj\n<</Type/XRef/Size ${number}/W[${WIDTHS.join(" ")}]/Index[${index}]/Length ${rows.length}`,
  );
  const end = ENCODER.encode(`\nendstream\nendobj\nstartxref\n${bytes.length + 1}\n%%EOF\n`);
  return concatBytes([bytes, head, ...kept, ENCODER.encode(">>\nstream\n"), rows, end]);
}

/** Source: ISO 32000-2 §7.5.8.2, table 17. */
function runsOf(numbers: readonly number[]): readonly string[] {
  const runs: { readonly first: number; length: number }[] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && last.first + last.length === number) last.length += 1;
    else runs.push({ first: number, length: 1 });
  }
  if (runs.length > MAX_RUNS)
    throw new PadesError("pdf_too_complex", `Expected at most ${MAX_RUNS} runs of object numbers`);
  return runs.map(({ first, length }) => `${first} ${length}`);
}

function writeRow(rows: Uint8Array, at: number, entry: XrefEntry): void {
  const [type, second, third] =
    entry.kind === "plain"
      ? [1, entry.offset, entry.generation]
      : entry.kind === "packed"
        ? [2, entry.stream, entry.index]
        : [0, 0, 0];
  rows[at] = type;
  for (let byte = 0; byte < WIDTHS[1]; byte += 1)
    rows[at + WIDTHS[1] - byte] = Math.floor(second / 256 ** byte) & 255;
  for (let byte = 0; byte < WIDTHS[2]; byte += 1)
    rows[at + WIDTHS[1] + WIDTHS[2] - byte] = Math.floor(third / 256 ** byte) & 255;
}
