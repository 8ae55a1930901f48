import type { ReactNode } from "react";
import type { Box } from "./box.ts";

/** One of the six colours that tell people apart; a seventh person gets the first again, her initials make the difference. */
export type FieldColor = 1 | 2 | 3 | 4 | 5 | 6;

/** Gives the colour of the person at this rank (from 0). */
export function fieldColor(rank: number): FieldColor {
  return ((((rank % 6) + 6) % 6) + 1) as FieldColor;
}

/** A field as the layers show it; what it means belongs to the features. */
export type LayerField = {
  readonly id: string;
  readonly pageNumber: number;
  readonly box: Box;
  readonly color: FieldColor;
  /** Full accessible name: type, person, page, place. */
  readonly name: string;
  /** What stands in the field. */
  readonly content: ReactNode;
};

/** What the order of fields depends on: the page, then the line (fields whose tops differ by less than 1 % are on one line), then the left edge. */
type Placed = { readonly page: number; readonly x: number; readonly y: number };

const LINE = 0.01;

/** Gives the fields in the order a person reads them, which is the order of the Tab key. */
export function inReadingOrder<T extends Placed>(fields: readonly T[]): T[] {
  return [...fields].sort(
    (a, b) => a.page - b.page || (Math.abs(a.y - b.y) < LINE ? a.x - b.x : a.y - b.y),
  );
}
