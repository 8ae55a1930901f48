import type { ReactNode } from "react";
import type { Box } from "../box.ts";
import type { FieldKeyAction } from "./field-keys.ts";
import type { MovedBoxes } from "./use-field-drag.ts";

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

/** A tool in hand: the next click on a page puts a field of this size there, a frame drawn there gives it that size. */
export type FieldTool = {
  readonly size: { readonly width: number; readonly height: number };
  readonly color: FieldColor;
  readonly label: string;
};

export type PrepareFieldLayerProps = {
  readonly pageNumber: number;
  /** This page's fields, in reading order (it is the order of the Tab key). */
  readonly fields: readonly LayerField[];
  readonly selectedIds: ReadonlySet<string>;
  /** The field that carries the tools when several are selected: the one selected last. */
  readonly leadId: string | null;
  /** The field that takes the keyboard's focus, at each new turn: one just put on a page, so that the arrows move it at once. */
  readonly focus?: { readonly id: string; readonly turn: number } | null;
  readonly tool: FieldTool | null;
  /** Short tag over the selected field, its person's name. */
  readonly selectedTag?: string;
  /** Buttons shown under the selected field. */
  readonly selectedTools?: ReactNode;
  readonly onSelect: (ids: readonly string[]) => void;
  /** Shift and a click, or Shift and Space: in or out of the selection. */
  readonly onToggle: (id: string) => void;
  /** A key on a field: it acts on the selection when the field is in it, on the field alone otherwise. */
  readonly onKey: (id: string, action: FieldKeyAction) => void;
  readonly onMove: (boxes: MovedBoxes, pageNumber: number, how: "move" | "resize") => void;
  readonly onPlace: (pageNumber: number, box: Box) => void;
};
