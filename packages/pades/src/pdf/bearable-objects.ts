import { findWord, integerAt, objectHeaderAt, skipBlank, wordAt } from "./byte-reader.ts";
import { packedPairs } from "./packed-pairs.ts";
import { dataStart, decodedStream, streamOfLength } from "./raw-stream.ts";
import { type RawDictionary, readDictionary, wholeNumber } from "./read-dictionary.ts";
import { valueEnd } from "./value-end.ts";
import { spend, type WorkBudget, workBudget } from "./work-budget.ts";
import type { CrossReference, XrefEntry } from "./xref-types.ts";

type Xref = Pick<CrossReference, "entries" | "trailer">;
type Entries = ReadonlyMap<number, XrefEntry>;
type Reading = { readonly bytes: Uint8Array; readonly entries: Entries; readonly budget: WorkBudget };

/**
 * Counts how far a parser goes for each object that a cross-reference leads to, and what the object streams inflate to, before there is
 * one: objects may begin inside each other's strings, streams may have no end, and each of a hundred thousand would be read to the end
 * of the file.
 * Shape: false when an object stream cannot be read. Those of an encrypted file are left to `packedBearably`.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`.
 */
export function requireBearableObjects(bytes: Uint8Array, { entries, trailer }: Xref, budget: WorkBudget = workBudget(bytes)): boolean {
  const reading: Reading = { bytes, entries, budget };
  const packing = new Set<number>();
  for (const entry of entries.values()) {
    if (entry.kind === "plain") countPlain(reading, entry.offset);
    if (entry.kind === "packed") packing.add(entry.stream);
  }
  if (trailer.entries.has("Encrypt")) return true;
  return [...packing].every((number) => {
    const entry = entries.get(number);
    return entry?.kind === "plain" && packedAt(reading, entry.offset);
  });
}

function countPlain(reading: Reading, offset: number): void {
  const { bytes, budget } = reading;
  const header = objectHeaderAt(bytes, offset);
  if (!header) return;
  const end = valueEnd(bytes, header.end);
  spend(budget, end - offset);
  if (!wordAt(bytes, skipBlank(bytes, end), "stream")) return;
  const dictionary = readDictionary(bytes, header.end, budget);
  if (dictionary && streamOfLength(bytes, dictionary, lengthOf(reading, dictionary))) return;
  // The parser looks for the keyword then.
  spend(budget, findWord(bytes, "endstream", end) - end);
}

/** A length may stand in an object of its own, which is read again for each stream when it is no number. */
function lengthOf({ bytes, entries, budget }: Reading, dictionary: RawDictionary): number | null {
  const reference = /^(\d+)\s+\d+\s+R$/.exec(dictionary.entries.get("Length")?.text ?? "");
  if (!reference) return wholeNumber(dictionary, "Length") ?? null;
  const entry = entries.get(Number(reference[1]));
  const header = entry?.kind === "plain" ? objectHeaderAt(bytes, entry.offset) : null;
  const number = header ? integerAt(bytes, skipBlank(bytes, header.end)) : null;
  if (header && !number) spend(budget, valueEnd(bytes, header.end) - header.end);
  return number?.value ?? null;
}

function packedAt({ bytes, budget }: Reading, offset: number): boolean {
  const header = objectHeaderAt(bytes, offset);
  const dictionary = header ? readDictionary(bytes, header.end, budget) : null;
  const start = dictionary ? dataStart(bytes, dictionary) : null;
  return dictionary !== null && start !== null && packedBearably(dictionary, bytes.subarray(start), budget);
}

/**
 * Counts what an object stream comes to, and looks at each object in it as the parser would; false when it cannot be read.
 * Shape: what follows the data does not matter.
 * Errors: PadesError `pdf_too_complex`, `pdf_damaged`.
 */
export function packedBearably(dictionary: RawDictionary, data: Uint8Array, budget: WorkBudget): boolean {
  const decoded = decodedStream(dictionary, data, budget);
  const [count, first] = [wholeNumber(dictionary, "N"), wholeNumber(dictionary, "First")];
  if (!decoded || typeof count !== "number" || typeof first !== "number") return false;
  const pairs = packedPairs(decoded.subarray(0, first), count, budget);
  for (const { at } of pairs ?? []) spend(budget, valueEnd(decoded, first + at) - first - at);
  return pairs !== null;
}
