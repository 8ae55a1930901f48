import { PdfRef } from "@libpdf/core";
import { integerAt, plainHeaderAt, skipBlank, wordAt } from "./byte-reader.ts";
import { wholeNumber } from "./read-dictionary.ts";
import { readSection, type XrefSection } from "./read-section.ts";
import { type WorkBudget, workBudget } from "./work-budget.ts";
import { type CrossReference, sameEntry, type XrefEntry } from "./xref-types.ts";

const TAIL_BYTES = 2_048;
const REFERENCE = /(\d{1,10})\s+(\d{1,5})\s+R/g;
/** How far back from the end the parser looks. */
const PARSER_TAIL_BYTES = 1_024;

/**
 * Reads every cross-reference section of a file, from the last `startxref` back along `/Prev`: tables, streams and both at once.
 * Shape: null when a section cannot be read, is not reached, or says of an object what readers understand in two ways: two rows, a
 * table and its stream at odds, a place where another object begins.
 * Errors: PadesError `pdf_too_complex` when the sections together ask for more than a budget of work.
 * Source: ISO 32000-2 §7.5.4, §7.5.5, §7.5.6, §7.5.8.
 */
export function readXref(bytes: Uint8Array, budget: WorkBudget = workBudget(bytes)): CrossReference | null {
  const start = startXref(bytes);
  const entries = new Map<number, XrefEntry>();
  const [visited, hidden, outdated] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const named: PdfRef[] = [];
  let newest: XrefSection | null = null;
  let isPlain = start?.isPlain ?? false;
  let isHybrid = false;
  for (let at: number | null = start?.offset ?? null; at !== null; ) {
    const section: XrefSection | null = visited.has(at) || hidden.has(at) ? null : readSection(bytes, at, budget);
    const rows = section ? withHidden(bytes, section, { visited, hidden, outdated, budget }) : null;
    if (!section || !rows) return null;
    visited.add(at);
    newest ??= section;
    named.push(...referencesIn(section));
    isHybrid ||= section.trailer.entries.has("XRefStm");
    isPlain &&= section.isPlain && rows.isPlain;
    for (const [number, entry] of rows.entries) if (!entries.has(number)) entries.set(number, entry);
    const previous = wholeNumber(section.trailer, "Prev");
    if (previous === null) return null;
    // Some producers write 0 for "none": no section begins where the file does.
    at = previous === undefined || previous === 0 ? null : previous;
  }
  if (outdated.size > 0 || !start || !newest || !newest.trailer.entries.has("Root") || !leadToObjects(bytes, entries)) return null;
  return { startXref: start.offset, style: newest.style, entries, trailer: newest.trailer, named, isHybrid, isPlain };
}

function referencesIn({ trailer }: XrefSection): PdfRef[] {
  return [...trailer.entries.values()].flatMap(({ text }) =>
    Array.from(text.matchAll(REFERENCE), ([, number, generation]) => PdfRef.of(Number(number), Number(generation))),
  );
}

/**
 * Sections that were read, and what reading more of them may cost. `hidden`: the streams of hybrid ones; `outdated`: those that say otherwise than
 * the table beside them, which no earlier section names so far.
 */
type Way = {
  readonly visited: ReadonlySet<number>;
  readonly hidden: Set<number>;
  readonly outdated: Set<number>;
  readonly budget: WorkBudget;
};
type Rows = { readonly entries: ReadonlyMap<number, XrefEntry>; readonly isPlain: boolean };

/**
 * Adds the objects that a hybrid file hides from old readers; what the table shows, the stream may only repeat.
 * Tolerance: PDFBox, and DSS with it, copy the name of an earlier section's stream into a trailer. Its table is newer, and counts.
 * Source: ISO 32000-2 §7.5.8.4.
 */
function withHidden(bytes: Uint8Array, section: XrefSection, { visited, hidden: known, outdated, budget }: Way): Rows | null {
  const at = wholeNumber(section.trailer, "XRefStm");
  if (at === undefined || section.style === "stream") return section;
  const hidden = at === null || visited.has(at) ? null : readSection(bytes, at, budget);
  if (at === null || hidden?.style !== "stream") return null;
  known.add(at);
  outdated.delete(at);
  const entries = new Map(section.entries);
  for (const [number, entry] of hidden.entries) {
    const shown = entries.get(number);
    if (!shown || shown.kind === "free") entries.set(number, entry);
    else if (!sameEntry(shown, entry)) outdated.add(at);
  }
  return { entries, isPlain: hidden.isPlain && !outdated.has(at) };
}

/** Each object begins where its entry says, under its own number and generation. Source: ISO 32000-2 §7.3.10, §7.5.7. */
function leadToObjects(bytes: Uint8Array, entries: ReadonlyMap<number, XrefEntry>): boolean {
  for (const [number, entry] of entries) {
    if (entry.kind === "plain") {
      const header = plainHeaderAt(bytes, entry.offset);
      if (header?.number !== number || header.generation !== entry.generation) return false;
    }
    if (entry.kind === "packed") {
      const stream = entries.get(entry.stream);
      if (stream?.kind !== "plain" || stream.generation !== 0) return false;
    }
  }
  return true;
}

/** Gives the last `startxref`, which `%%EOF` must follow; null when there is none near the end. */
function startXref(bytes: Uint8Array): { readonly offset: number; readonly isPlain: boolean } | null {
  const from = Math.max(0, bytes.length - TAIL_BYTES);
  let at = bytes.length - "startxref".length;
  while (at >= from && !wordAt(bytes, at, "startxref")) at -= 1;
  const offset = at < from ? null : integerAt(bytes, skipBlank(bytes, at + "startxref".length));
  if (!offset || offset.value === 0 || offset.value >= bytes.length) return null;
  if (!wordAt(bytes, skipBlank(bytes, offset.end), "%%EOF")) return null;
  return { offset: offset.value, isPlain: bytes.length - at < PARSER_TAIL_BYTES };
}
