import { type PDF, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { packedPairs } from "./packed-pairs.ts";
import { plainObjectAt } from "./plain-object.ts";
import { quietly } from "./quietly.ts";
import type { WorkBudget } from "./work-budget.ts";
import type { XrefEntry } from "./xref-types.ts";

type Resolver = (ref: PdfRef) => PdfObject | null;
type Entries = ReadonlyMap<number, XrefEntry>;

/**
 * Holds the parser to the cross-reference: it resolves a reference whatever its generation, and takes from an object stream whatever
 * stands at the index. A reference to another generation means null; an object stream that gives the place another number is broken.
 * Shape: false when what the parser has read by now differs from what the entries say.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.3.10, §7.5.7.
 */
export function obeysXref(
  pdf: PDF,
  { bytes, entries }: { readonly bytes: Uint8Array; readonly entries: Entries },
  budget: WorkBudget,
): boolean {
  const { registry } = pdf.context;
  const isCurrent = ({ objectNumber, generation }: PdfRef): boolean => {
    const entry = entries.get(objectNumber);
    return entry === undefined || generation === (entry.kind === "plain" ? entry.generation : 0);
  };
  if ([...registry.getLoadedObjects().keys()].some((ref) => !isCurrent(ref))) return false;
  const resolve = resolveQuietly(pdf);
  const read: Resolver = (ref) => {
    const entry = pdf.isEncrypted ? undefined : entries.get(ref.objectNumber);
    return (entry?.kind === "plain" ? plainObjectAt(bytes, entry.offset, ref) : null) ?? resolve(ref);
  };
  registry.setResolver((ref) => (isCurrent(ref) ? read(ref) : null));
  return arePackedAsSaid(resolve, entries, budget);
}

/** Has the parser resolve without remarks, and each object that it cannot read once only. */
export function resolveQuietly(pdf: PDF): Resolver {
  const { registry } = pdf.context;
  const resolve = Reflect.get(registry, "resolver") as Resolver;
  const missing = new Set<string>();
  const once: Resolver = (ref) => {
    const key = `${ref.objectNumber} ${ref.generation}`;
    const object = missing.has(key) ? null : quietly(() => resolve(ref));
    if (object === null) missing.add(key);
    return object;
  };
  registry.setResolver(once);
  return once;
}

function arePackedAsSaid(resolve: Resolver, entries: Entries, budget: WorkBudget): boolean {
  const streams = new Map<number, [number, number][]>();
  for (const [number, entry] of entries) {
    if (entry.kind !== "packed") continue;
    const listed = streams.get(entry.stream) ?? [];
    listed.push([number, entry.index]);
    streams.set(entry.stream, listed);
  }
  const extended = new Map<number, number>();
  for (const [number, listed] of streams) {
    const stream = resolve(PdfRef.of(number, 0));
    if (!(stream instanceof PdfStream)) return false;
    const numbers = packedNumbers(stream, budget);
    if (!numbers || listed.some(([packed, index]) => numbers[index] !== packed)) return false;
    const base = stream.get("Extends");
    if (base instanceof PdfRef) extended.set(number, base.objectNumber);
  }
  return !comesBack(extended);
}

/** Says whether object streams extend each other in a circle: some readers look for an object there, and some never end. Source: ISO 32000-2 §7.5.7. */
function comesBack(extended: ReadonlyMap<number, number>): boolean {
  const done = new Set<number>();
  for (const start of extended.keys()) {
    const way = new Set<number>();
    for (let at: number | undefined = start; at !== undefined && !done.has(at); at = extended.get(at)) {
      if (way.has(at)) return true;
      way.add(at);
    }
    for (const number of way) done.add(number);
  }
  return false;
}

/** Gives the numbers of the objects that a stream holds, in their order; null when the parser cannot read them. */
function packedNumbers(stream: PdfStream, budget: WorkBudget): readonly number[] | null {
  try {
    const data = stream.getDecodedData();
    const first = stream.getNumber("First")?.value ?? 0;
    const pairs = packedPairs(data.subarray(0, first), stream.getNumber("N")?.value ?? 0, budget);
    return pairs?.map(({ number }) => number) ?? null;
  } catch (error) {
    if (error instanceof PadesError) throw error;
    // The parser will not read any object of it either.
    return null;
  }
}
