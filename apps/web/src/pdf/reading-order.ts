/** What the order of fields depends on: the page, then the line (fields whose tops differ by less than 1 % are on one line), then the left edge. */
type Placed = { readonly page: number; readonly x: number; readonly y: number };

const LINE = 0.01;

/** Gives the fields in the order a person reads them, which is the order of the Tab key. */
export function inReadingOrder<T extends Placed>(fields: readonly T[]): T[] {
  return [...fields].sort((a, b) => a.page - b.page || (Math.abs(a.y - b.y) < LINE ? a.x - b.x : a.y - b.y));
}
