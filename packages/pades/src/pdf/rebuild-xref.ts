import { objectHeaderAt } from "./byte-reader.ts";
import { packedPairs } from "./packed-pairs.ts";
import { decodedStream, rawStream, streamOfLength } from "./raw-stream.ts";
import { type RawDictionary, readDictionary, wholeNumber } from "./read-dictionary.ts";
import { valueEnd } from "./value-end.ts";
import { spend, type WorkBudget, workBudget } from "./work-budget.ts";
import type { CrossReference, XrefEntry } from "./xref-types.ts";

const DECODER = new TextDecoder("latin1");
const HEADER = /(?<![^\0\t\n\f\r ])\d{1,10}[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj(?![^\0\t\n\f\r ()<>[\]{}/%])/g;
/** An object that is a number: the length of a stream, say. */
const NUMBER_OBJECT = /(?<![^\0\t\n\f\r ])(\d{1,10}[\0\t\n\f\r ]+\d{1,5})[\0\t\n\f\r ]+obj[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+endobj/g;
const MAX_OBJECT_NUMBER = 8_388_607;

/** An object met while the file is read from its beginning. */
type Met = { readonly number: number; readonly generation: number; readonly offset: number; readonly dictionary: RawDictionary | null };

/**
 * Finds the objects of a file whose cross-reference leads nowhere: the latest of each number counts, plain or in an object stream, as
 * it would had the file been saved with a sound one.
 * Shape: null when no catalog is found.
 * Errors: PadesError `pdf_too_complex` when what looks like objects asks for more than a budget of work.
 * Source: ISO 32000-2 §7.5.6: what is appended later replaces what came before.
 */
export function rebuildXref(bytes: Uint8Array, budget: WorkBudget = workBudget(bytes)): Pick<CrossReference, "entries" | "trailer"> | null {
  const text = DECODER.decode(bytes);
  const entries = new Map<number, XrefEntry>();
  const trailers: { readonly at: number; readonly trailer: RawDictionary }[] = [];
  const catalogs: { readonly at: number; readonly number: number }[] = [];
  const objects = objectsOf(bytes, text, budget);
  const latest = new Map(objects.map((object) => [object.number, object]));
  for (const object of objects) {
    const { number, generation, offset, dictionary } = object;
    entries.set(number, { kind: "plain", offset, generation });
    const type = dictionary?.entries.get("Type")?.text;
    if (dictionary && type === "/XRef") trailers.push({ at: offset, trailer: dictionary });
    if (type === "/Catalog") catalogs.push({ at: offset, number });
    if (!dictionary || type !== "/ObjStm" || latest.get(number) !== object) continue;
    for (const [index, inner] of (packedObjects(bytes, dictionary, budget) ?? []).entries()) {
      entries.set(inner.number, { kind: "packed", stream: number, index });
      if (inner.isCatalog) catalogs.push({ at: offset, number: inner.number });
    }
  }
  for (const { index } of text.matchAll(/\btrailer\b/g)) {
    const trailer = readDictionary(bytes, index + "trailer".length, budget);
    if (trailer) trailers.push({ at: index, trailer });
  }
  const known = new Set(catalogs.map(({ number }) => number));
  const named = trailers.filter(({ trailer }) => known.has(rootOf(trailer) ?? -1)).toSorted((left, right) => right.at - left.at)[0];
  if (named) return { entries, trailer: named.trailer };
  const catalog = catalogs.at(-1)?.number;
  return catalog === undefined ? null : { entries, trailer: trailerOf(catalog, entries.get(catalog)) };
}

/** Steps from object to object; the data of streams is passed over where their length is told and right: it may look like objects. */
function objectsOf(bytes: Uint8Array, text: string, budget: WorkBudget): readonly Met[] {
  const met: Met[] = [];
  const numbers = new Map(
    [...text.matchAll(NUMBER_OBJECT)].map(([, name = "", value]) => [name.replace(/[\0\t\n\f\r ]+/, " "), Number(value)]),
  );
  HEADER.lastIndex = 0;
  for (let match = HEADER.exec(text); match; match = HEADER.exec(text)) {
    const header = objectHeaderAt(bytes, match.index);
    if (!header || header.number > MAX_OBJECT_NUMBER) continue;
    const dictionary = readDictionary(bytes, header.end, budget);
    met.push({ ...header, offset: match.index, dictionary });
    const stream = dictionary ? streamOfLength(bytes, dictionary, lengthOf(dictionary, numbers)) : null;
    if (stream) HEADER.lastIndex = stream.end;
  }
  return met;
}

/** A length may stand in an object of its own, often after the stream. */
function lengthOf(dictionary: RawDictionary, numbers: ReadonlyMap<string, number>): number | null {
  const reference = /^(\d+)\s+(\d+)\s+R$/.exec(dictionary.entries.get("Length")?.text ?? "");
  return (reference ? numbers.get(`${reference[1]} ${reference[2]}`) : wholeNumber(dictionary, "Length")) ?? null;
}

/**
 * Gives what an object stream holds; null when the parser could not read its beginning either, or when two objects share their bytes.
 * Source: ISO 32000-2 §7.5.7: the numbers and places come first, in increasing order, then the objects.
 */
function packedObjects(
  bytes: Uint8Array,
  dictionary: RawDictionary,
  budget: WorkBudget,
): readonly { number: number; isCatalog: boolean }[] | null {
  const stream = rawStream(bytes, dictionary, budget);
  const data = stream ? decodedStream(dictionary, stream.data, budget) : null;
  const [count, first] = [wholeNumber(dictionary, "N"), wholeNumber(dictionary, "First")];
  if (!data || typeof count !== "number" || typeof first !== "number") return null;
  const pairs = packedPairs(data.subarray(0, first), count, budget);
  // How far the parser goes for each: one may begin inside another's string.
  for (const { at } of pairs ?? []) spend(budget, valueEnd(data, first + at) - first - at);
  return pairs && pairs.map(({ number, at }) => ({ number, isCatalog: isCatalog(readDictionary(data, first + at, budget)) }));
}

function isCatalog(dictionary: RawDictionary | null): boolean {
  return dictionary?.entries.get("Type")?.text === "/Catalog";
}

function rootOf(trailer: RawDictionary): number | null {
  const match = /^(\d+)\s+\d+\s+R$/.exec(trailer.entries.get("Root")?.text ?? "");
  return match ? Number(match[1]) : null;
}

function trailerOf(catalog: number, entry: XrefEntry | undefined): RawDictionary {
  const text = `${catalog} ${entry?.kind === "plain" ? entry.generation : 0} R`;
  return { entries: new Map([["Root", { text, bytes: new TextEncoder().encode(text) }]]), end: 0 };
}
