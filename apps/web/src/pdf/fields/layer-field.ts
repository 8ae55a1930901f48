import type { ReactNode } from "react";
import type { Box } from "../box.ts";
import type { FieldKeyAction } from "./field-keys.ts";
import type { MovedBoxes } from "./use-field-drag.ts";

/** A seventh person reuses the first colour; initials make the difference. */
export type FieldColor = 1 | 2 | 3 | 4 | 5 | 6;

export function fieldColor(rank: number): FieldColor {
  return ((((rank % 6) + 6) % 6) + 1) as FieldColor;
}

export type LayerField = {
  readonly id: string;
  readonly pageNumber: number;
  readonly box: Box;
  readonly color: FieldColor;
  /** Accessible name: type, person, page, place. */
  readonly name: string;
  readonly content: ReactNode;
};

/** Page, then line (tops within 1 %), then left edge. */
type Placed = { readonly page: number; readonly x: number; readonly y: number };

const LINE = 0.01;

/** Reading order, which is the Tab order. */
export function inReadingOrder<T extends Placed>(fields: readonly T[]): T[] {
  return [...fields].sort(
    (a, b) => a.page - b.page || (Math.abs(a.y - b.y) < LINE ? a.x - b.x : a.y - b.y),
  );
}

/** The next click places this size; a drawn frame its own. */
export type FieldTool = {
  readonly size: { readonly width: number; readonly height: number };
  readonly color: FieldColor;
  readonly label: string;
};

export type PrepareFieldLayerProps = {
  readonly pageNumber: number;
  /** In Tab order. */
  readonly fields: readonly LayerField[];
  readonly selectedIds: ReadonlySet<string>;
  /** The field selected last carries the tools. */
  readonly leadId: string | null;
  /** A new `turn` moves the focus, so that the arrows move a field just placed. */
  readonly focus?: { readonly id: string; readonly turn: number } | null;
  readonly tool: FieldTool | null;
  readonly selectedTag?: string;
  readonly selectedTools?: ReactNode;
  readonly onSelect: (ids: readonly string[]) => void;
  /** Shift and a click, or Shift and Space. */
  readonly onToggle: (id: string) => void;
  /** Acts on the selection when the field is in it. */
  readonly onKey: (id: string, action: FieldKeyAction) => void;
  readonly onMove: (boxes: MovedBoxes, pageNumber: number, how: "move" | "resize") => void;
  readonly onPlace: (pageNumber: number, box: Box) => void;
};
