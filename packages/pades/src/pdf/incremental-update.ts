import { PdfDict, type PdfObject, PdfRef } from "@libpdf/core";
import { concatBytes } from "../asn1/der-writer.ts";
import type { OpenPdf } from "./open-pdf.ts";
import type { Deflate } from "../ports.ts";
import { deflate as deflateStream } from "./deflate.ts";
import { writeObject } from "./write-object.ts";

/** Deflating a shorter stream costs more than it saves. */
export const DEFLATE_FROM_BYTES = 4_096;

/** New and replaced objects, then one cross-reference section in the file's style. */
export type IncrementalUpdate = {
  readonly deflate: Deflate;
  allocate(): number;
  /** Latin-1 syntax. A replaced object keeps its generation. */
  put(number: number, syntax: string, generation?: number): void;
  putStream(number: number, entries: string, data: Uint8Array): Promise<void>;
  putPacked(number: number, entries: string, deflated: Uint8Array): void;
  putRaw(number: number, entries: string, data: Uint8Array): void;
  /** The earlier bytes exactly, then the update. `offsets`: of each object. */
  finish(): { bytes: Uint8Array; offsets: ReadonlyMap<number, number> };
};

const ENCODER = new TextEncoder();

type Entry = {
  readonly number: number;
  readonly generation: number;
  readonly parts: readonly Uint8Array[];
  readonly length: number;
};

type UpdateOptions = { readonly deflate?: Deflate | undefined; readonly from?: number };

/** Begins an update. Source: ISO 32000-2 §7.5.6. */
export function beginUpdate(
  open: OpenPdf,
  { deflate = deflateStream, from }: UpdateOptions = {},
): IncrementalUpdate {
  let next = from ?? open.nextObjectNumber;
  const entries: Entry[] = [];
  const add = (number: number, generation: number, body: readonly Uint8Array[]): void => {
    const parts = [latinBytes(`${number} ${generation} obj\n`), ...body, latinBytes("\nendobj\n")];
    entries.push({
      number,
      generation,
      parts,
      length: parts.reduce((sum, part) => sum + part.length, 0),
    });
  };
  return {
    deflate,
    allocate: () => next++,
    put: (number, syntax, generation = 0) => add(number, generation, [latinBytes(syntax)]),
    async putStream(number, dictionary, data) {
      const packed = data.length >= DEFLATE_FROM_BYTES ? await deflate(data) : null;
      add(
        number,
        0,
        packed
          ? streamParts(`${dictionary}/Filter/FlateDecode`, packed)
          : streamParts(dictionary, data),
      );
    },
    putPacked: (number, dictionary, body) =>
      add(number, 0, streamParts(`${dictionary}/Filter/FlateDecode`, body)),
    putRaw: (number, dictionary, body) => add(number, 0, streamParts(dictionary, body)),
    finish() {
      const info = open.trailer.get("Info");
      // Validators look for an information dictionary in an object.
      const number = info instanceof PdfDict ? next++ : null;
      if (info && number !== null) add(number, 0, [latinBytes(writeObject(info))]);
      const sorted = entries.toSorted((left, right) => left.number - right.number);
      return assemble(open, sorted, { next, info: number === null ? info : PdfRef.of(number, 0) });
    },
  };
}

function streamParts(entries: string, data: Uint8Array): readonly Uint8Array[] {
  return [
    latinBytes(`<<${entries}/Length ${data.length}>>\nstream\n`),
    data,
    latinBytes("\nendstream"),
  ];
}

export function latinBytes(text: string): Uint8Array {
  const ascii = ENCODER.encode(text);
  if (ascii.length === text.length) return ascii;
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}

type Rest = { readonly next: number; readonly info: PdfObject | undefined };

function assemble(
  open: OpenPdf,
  entries: readonly Entry[],
  rest: Rest,
): { bytes: Uint8Array; offsets: Map<number, number> } {
  const separator = open.bytes.at(-1) === 0x0a ? new Uint8Array() : Uint8Array.of(0x0a);
  const offsets = new Map<number, number>();
  const chunks: Uint8Array[] = [open.bytes, separator];
  let position = open.bytes.length + separator.length;
  for (const { number, parts, length } of entries) {
    offsets.set(number, position);
    chunks.push(...parts);
    position += length;
  }
  const generations = new Map(entries.map(({ number, generation }) => [number, generation]));
  const section =
    open.xrefStyle === "table"
      ? xrefTable(open, { offsets, generations, ...rest })
      : xrefStream(open, { offsets, generations, ...rest, position });
  chunks.push(section, latinBytes(`startxref\n${position}\n%%EOF\n`));
  return { bytes: concatBytes(chunks), offsets };
}

type Table = {
  readonly offsets: ReadonlyMap<number, number>;
  readonly generations: ReadonlyMap<number, number>;
} & Rest;

function subsections(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs;
}

/** Source: ISO 32000-2 §7.5.5, table 15 (Info is an indirect object). */
function trailerEntries(open: OpenPdf, size: number, info: PdfObject | undefined): string {
  const kept = ["Root", "Info", "ID"].flatMap((key) => {
    const value = key === "Info" ? info : open.trailer.get(key);
    return value ? [`/${key} ${writeObject(value)}`] : [];
  });
  return `/Size ${size}${kept.join("")}/Prev ${open.startXref}`;
}

/** Source: ISO 32000-2 §7.5.4: an entry is exactly 20 bytes. */
function xrefTable(open: OpenPdf, { offsets, generations, next, info }: Table): Uint8Array {
  let text = "xref\n";
  for (const run of subsections([...offsets.keys()])) {
    text += `${run[0]} ${run.length}\n`;
    for (const number of run) {
      const generation = String(generations.get(number) ?? 0).padStart(5, "0");
      text += `${String(offsets.get(number)).padStart(10, "0")} ${generation} n\r\n`;
    }
  }
  return latinBytes(`${text}trailer\n<<${trailerEntries(open, next, info)}>>\n`);
}

/** Source: ISO 32000-2 §7.5.8. The stream lists itself. */
function xrefStream(
  open: OpenPdf,
  { offsets, generations, next, info, position }: Table & { position: number },
): Uint8Array {
  const all = new Map([...offsets, [next, position]]);
  const runs = subsections([...all.keys()].toSorted((left, right) => left - right));
  const data = new Uint8Array(all.size * 7);
  const view = new DataView(data.buffer);
  let row = 0;
  for (const number of runs.flat()) {
    view.setUint8(row, 1);
    view.setUint32(row + 1, all.get(number) ?? 0);
    view.setUint16(row + 5, generations.get(number) ?? 0);
    row += 7;
  }
  const index = runs.map((run) => `${run[0]} ${run.length}`).join(" ");
  const head = `${next} 0 obj\n<</Type/XRef${trailerEntries(open, next + 1, info)}/W[1 4 2]/Index[${index}]/Length ${data.length}>>\nstream\n`;
  return concatBytes([latinBytes(head), data, latinBytes("\nendstream\nendobj\n")]);
}
