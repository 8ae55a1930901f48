import type { OpenPdf } from "../pdf/open-pdf.ts";
import { type RawDictionary, wholeNumber } from "../pdf/read-dictionary.ts";
import { readSection, type XrefSection } from "../pdf/read-section.ts";
import { type WorkBudget, workBudget } from "../pdf/work-budget.ts";
import { sameEntry, type XrefEntry } from "../pdf/xref-types.ts";

type File = Pick<OpenPdf, "bytes" | "startXref" | "entries">;
const NOWHERE: XrefEntry = { kind: "free" };

/**
 * Says whether the tables and the streams of hybrid sections agree for every reader: what the stream shows, its table does not free, for
 * some readers then find nothing, others the object; and where the two lead to other earlier sections, the objects are the same either way.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §7.5.8.4 (XRefStm): whoever knows cross-reference streams looks into the table first.
 */
export function agreesWithHidden(file: File): boolean {
  const budget = workBudget(file.bytes);
  const visited = new Set<number>();
  let isOneWay = true;
  for (let at: number | null = file.startXref; at !== null && !visited.has(at); ) {
    visited.add(at);
    const section: XrefSection | null = readSection(file.bytes, at, budget);
    const hiddenAt = section ? placeOf(section.trailer, "XRefStm") : null;
    const hidden = hiddenAt === null ? null : readSection(file.bytes, hiddenAt, budget);
    at = section ? placeOf(section.trailer, "Prev") : null;
    if (section && hidden && !showsTheSame(section, hidden)) return false;
    isOneWay &&= !hidden || [null, at].includes(placeOf(hidden.trailer, "Prev"));
  }
  return isOneWay || (["deep", "broad"] as const).every((way) => findsTheSame(file, way, budget));
}

function placeOf(trailer: RawDictionary, key: string): number | null {
  const place = wholeNumber(trailer, key);
  return typeof place === "number" && place > 0 ? place : null;
}

function showsTheSame(table: XrefSection, hidden: XrefSection): boolean {
  return [...hidden.entries].every(([number, { kind }]) => kind === "free" || table.entries.get(number)?.kind !== "free");
}

/**
 * Goes back from each stream as well as from its table, of which the standard knows nothing: first all the way (`deep`), or a step of each in
 * turn, as pdf.js does (`broad`). Of an object, what is met first counts.
 */
function findsTheSame({ bytes, startXref, entries }: File, way: "deep" | "broad", budget: WorkBudget): boolean {
  const found = new Map<number, XrefEntry>();
  const visited = new Set<number>();
  const ahead = [startXref];
  const inTurn = ahead.values();
  const next = (): number | undefined => (way === "deep" ? ahead.pop() : inTurn.next().value);
  for (let at = next(); at !== undefined; at = next()) {
    const section = visited.has(at) ? null : readSection(bytes, at, budget);
    visited.add(at);
    for (const [number, entry] of section?.entries ?? []) if (!found.has(number)) found.set(number, entry);
    const keys = section?.style === "table" ? ["XRefStm", "Prev"] : ["Prev"];
    const places = keys.map((key) => section && placeOf(section.trailer, key)).filter((place) => place !== null);
    ahead.push(...(way === "deep" ? places.toReversed() : places));
  }
  const numbers = new Set([...entries.keys(), ...found.keys()]);
  return [...numbers].every((number) => sameEntry(found.get(number) ?? NOWHERE, entries.get(number) ?? NOWHERE));
}
