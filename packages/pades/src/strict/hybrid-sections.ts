import type { OpenPdf } from "../pdf/open-pdf.ts";
import { type RawDictionary, wholeNumber } from "../pdf/read-dictionary.ts";
import { readSection, type XrefSection } from "../pdf/read-section.ts";
import { workBudget } from "../pdf/work-budget.ts";

/**
 * Says whether the tables and the streams of hybrid sections agree for every reader: what the stream shows, its table does not free, for
 * some readers then find nothing, others the object; and both lead to the same earlier section.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §7.5.8.4 (XRefStm): whoever knows cross-reference streams looks into the table first.
 */
export function agreesWithHidden({ bytes, startXref }: Pick<OpenPdf, "bytes" | "startXref">): boolean {
  const budget = workBudget(bytes);
  const visited = new Set<number>();
  for (let at: number | null = startXref; at !== null && !visited.has(at); ) {
    visited.add(at);
    const section: XrefSection | null = readSection(bytes, at, budget);
    const hiddenAt = section ? placeOf(section.trailer, "XRefStm") : null;
    const hidden = hiddenAt === null ? null : readSection(bytes, hiddenAt, budget);
    if (section && hidden && !agree(section, hidden)) return false;
    at = section ? placeOf(section.trailer, "Prev") : null;
  }
  return true;
}

function placeOf(trailer: RawDictionary, key: string): number | null {
  const place = wholeNumber(trailer, key);
  return typeof place === "number" && place > 0 ? place : null;
}

function agree(table: XrefSection, hidden: XrefSection): boolean {
  const previous = placeOf(hidden.trailer, "Prev");
  if (previous !== null && previous !== placeOf(table.trailer, "Prev")) return false;
  return [...hidden.entries].every(([number, { kind }]) => kind === "free" || table.entries.get(number)?.kind !== "free");
}
