import { spend, type WorkBudget } from "./work-budget.ts";

/** An object of an object stream: its number, and its place behind the stream's beginning. */
type PackedPair = { readonly number: number; readonly at: number };

const DECODER = new TextDecoder("latin1");

/**
 * Reads the beginning of an object stream; null unless it is so many pairs of whole numbers, each place another one: a few bytes would
 * be read a hundred thousand times.
 * Errors: PadesError `pdf_too_complex` once the budget is spent.
 * Source: ISO 32000-2 §7.5.7.
 */
export function packedPairs(head: Uint8Array, count: number, budget: WorkBudget): readonly PackedPair[] | null {
  spend(budget, head.length);
  const tokens = DECODER.decode(head)
    .split(/[\0\t\n\f\r ]+/)
    .filter((token) => token !== "");
  // « 3.0 » is a number for some readers, and no object's for others.
  if (tokens.length < count * 2 || !tokens.slice(0, count * 2).every((token) => /^\d{1,10}$/.test(token))) return null;
  const pairs = Array.from({ length: count }, (_, index) => ({ number: Number(tokens[index * 2]), at: Number(tokens[index * 2 + 1]) }));
  return new Set(pairs.map(({ at }) => at)).size === pairs.length ? pairs : null;
}
