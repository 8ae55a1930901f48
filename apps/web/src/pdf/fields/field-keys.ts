import type { Delta } from "../box.ts";

type FieldKeyEvent = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
};
/** What a key asks of the selected fields. `by` is in points of the displayed page. */
export type FieldKeyAction =
  | { readonly kind: "move" | "resize"; readonly by: Delta }
  | { readonly kind: "delete" | "duplicate" | "deselect" | "toggle" };

/** A point, which is a pixel of the page at its own size; five of them with Shift. */
const FINE_STEP = 1;
const STEP = 5;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Reads a key pressed on a field: arrows move the selection by a point, Alt + arrows resize it by a point, Shift makes either five points,
 * Delete removes, Ctrl or Cmd + D duplicates, Escape deselects, Shift + Space takes the field into the selection or out of it.
 * Null for any other key, which is left to the browser.
 */
export function readFieldKey(event: FieldKeyEvent): FieldKeyAction | null {
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === "Delete" || event.key === "Backspace") return { kind: "delete" };
  if (event.key === "Escape") return { kind: "deselect" };
  if (event.key === " " && event.shiftKey) return { kind: "toggle" };
  if (isCommand && event.key.toLowerCase() === "d") return { kind: "duplicate" };
  const direction = ARROWS[event.key];
  if (!direction || isCommand) return null;
  const step = event.shiftKey ? STEP : FINE_STEP;
  return {
    kind: event.altKey ? "resize" : "move",
    by: { dx: direction[0] * step, dy: direction[1] * step },
  };
}
