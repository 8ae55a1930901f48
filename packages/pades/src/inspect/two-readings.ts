import { PdfNumber, PdfRef, PdfStream } from "@libpdf/core";
import { isBlank, objectHeaderAt, skipBlank, wordAt } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { packedPairs } from "../pdf/packed-pairs.ts";
import { streamOfLength } from "../pdf/raw-stream.ts";
import { lineEnd, tokenEnd } from "../pdf/value-end.ts";
import { rebuildXref } from "../pdf/rebuild-xref.ts";
import { workBudget } from "../pdf/work-budget.ts";
import { sameEntry } from "../pdf/xref-types.ts";

const [PERCENT, SLASH, OPEN_ARRAY, CLOSE_ARRAY, LESS, GREATER] = Array.from("%/[]<>", (character) => character.charCodeAt(0));
const DECODER = new TextDecoder("latin1");

/** An array, or a dictionary with the keys met so far; `isValue`: a key waits for its value. */
type Container = { readonly keys: Set<string> | null; isValue: boolean };

/**
 * Says whether two readers may read another thing in a sound file: an object written again where no cross-reference leads, a dictionary with
 * a key twice, of which they take the first or the last, or a stream that does not end where it says, of which they take what its length
 * tells or what its keyword does.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §7.3.7 (keys are unique), §7.3.8.2 (Length).
 */
export function holdsTwoReadings(open: OpenPdf): boolean {
  return rebuildsOtherwise(open) || readsOtherwise(open);
}

/**
 * Says whether a reader that looks for objects itself finds another under a number, or none: what is written later in the file than the
 * object that the cross-reference leads to. Source: ISO 32000-2 §7.5.6.
 */
function rebuildsOtherwise({ bytes, entries }: OpenPdf): boolean {
  const rebuilt = rebuildXref(bytes)?.entries;
  return [...entries].some(([number, entry]) => {
    const found = rebuilt?.get(number);
    if (entry.kind === "free") return false;
    if (entry.kind === "packed" || found?.kind !== "plain") return !found || !sameEntry(entry, found);
    return skipBlank(bytes, entry.offset) !== found.offset;
  });
}

function readsOtherwise(open: OpenPdf): boolean {
  const { bytes, entries } = open;
  for (const [number, entry] of entries) {
    if (entry.kind !== "plain") continue;
    const header = objectHeaderAt(bytes, entry.offset);
    const end = header && endOfPlain(bytes, header.end);
    if (end === null) return true;
    const object = open.pdf.context.resolve(PdfRef.of(number, entry.generation));
    if (!(object instanceof PdfStream)) continue;
    if (!endsWhereItSays(open, object, end) || (object.getName("Type")?.value === "ObjStm" && packsTwoReadings(open, object))) return true;
  }
  return false;
}

function endsWhereItSays(open: OpenPdf, stream: PdfStream, dictionaryEnd: number): boolean {
  const length = follow(open, stream.get("Length"));
  if (!(length instanceof PdfNumber) || !wordAt(open.bytes, skipBlank(open.bytes, dictionaryEnd), "stream")) return true;
  return streamOfLength(open.bytes, { entries: new Map(), end: dictionaryEnd }, length.value) !== null;
}

function packsTwoReadings(open: OpenPdf, stream: PdfStream): boolean {
  const data = decodedData(stream, decodingBudget(open));
  const first = stream.getNumber("First")?.value ?? 0;
  const pairs = packedPairs(data.subarray(0, first), stream.getNumber("N")?.value ?? 0, workBudget(open.bytes)) ?? [];
  return pairs.some(({ at }) => endOfPlain(data, first + at) === null);
}

/** Gives the place behind a value, or null when a dictionary in it has a key twice. */
function endOfPlain(bytes: Uint8Array, from: number): number | null {
  const containers: Container[] = [];
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte === PERCENT || isBlank(byte)) {
      at = byte === PERCENT ? lineEnd(bytes, at) : at + 1;
      continue;
    }
    const end = tokenEnd(bytes, at);
    if (!takeToken(containers, bytes.subarray(at, end))) return null;
    if (containers.length === 0) return end;
    at = end;
  }
  return bytes.length;
}

/** Says false for a key that its dictionary has already. What follows a value and is no key is the rest of a reference. */
function takeToken(containers: Container[], token: Uint8Array): boolean {
  const last = containers.at(-1);
  const isDouble = token.length === 2 && token[0] === token[1];
  if (token[0] === CLOSE_ARRAY || (token[0] === GREATER && isDouble)) {
    containers.pop();
    return true;
  }
  if (last?.keys && !last.isValue) {
    if (token[0] !== SLASH) return true;
    const key = decodedName(token);
    if (last.keys.has(key)) return false;
    last.keys.add(key);
    last.isValue = true;
    return true;
  }
  if (last) last.isValue = false;
  if (token[0] === OPEN_ARRAY) containers.push({ keys: null, isValue: false });
  else if (token[0] === LESS && isDouble) containers.push({ keys: new Set(), isValue: false });
  return true;
}

/** Source: ISO 32000-2 §7.3.5. */
function decodedName(token: Uint8Array): string {
  return DECODER.decode(token).replace(/#([0-9a-fA-F]{2})/g, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
