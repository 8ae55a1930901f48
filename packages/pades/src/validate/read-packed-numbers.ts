import { latinText } from "../pdf/latin-text.ts";
import { afterSpace, readSyntax, type Syntax, wholeNumber } from "./pdf-syntax.ts";
import { plainData } from "./read-xref-rows.ts";

/** The objects of a stream: `catalogs` are those that call themselves the file's catalog. */
type Packed = { readonly packs: readonly number[]; readonly catalogs: readonly number[] };

/** Says whether a value calls itself the file's catalog: a reader that rebuilds a file takes the last that does. Source: ISO 32000-2 §7.7.2. */
export function isCatalog(value: Syntax): boolean {
  const type = value.kind === "dictionary" ? value.entries.get("Type") : undefined;
  return type?.kind === "name" && type.text === "Catalog";
}

/**
 * Gives the numbers of the objects in an object stream, in their order; null when a reader could take one for another: each object is
 * one whole value that ends where the next begins, and there is no further stream to look for it in.
 * Source: ISO 32000-2 §7.5.7.
 */
export async function readPackedNumbers(entries: ReadonlyMap<string, Syntax>, packed: Uint8Array): Promise<Packed | null> {
  if (entries.has("Extends")) return null;
  const [count, first] = [wholeNumber(entries.get("N")), wholeNumber(entries.get("First"))];
  const data = entries.has("DecodeParms") ? null : await plainData(entries, packed);
  if (count === null || first === null || !data) return null;
  const text = latinText(data);
  const head = text.slice(0, first).trim();
  const tokens = head === "" ? [] : head.split(/\s+/);
  // « 3.0 » is a number for some readers, and no object's for others.
  if (tokens.length !== count * 2 || !tokens.every((token) => /^(?:0|[1-9]\d{0,9})$/.test(token))) return null;
  const pairs = tokens.map(Number);
  let at = first;
  const numbers: number[] = [];
  const catalogs: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    const start = first + (pairs[index + 1] ?? 0);
    const value = start >= at && afterSpace(text, at) >= start ? readSyntax(text, start) : null;
    if (!value) return null;
    at = value.end;
    numbers.push(pairs[index] ?? 0);
    if (isCatalog(value.value)) catalogs.push(pairs[index] ?? 0);
  }
  return afterSpace(text, at) === text.length ? { packs: numbers, catalogs } : null;
}
