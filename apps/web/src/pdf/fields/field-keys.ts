import type { Delta } from "../box.ts";

type FieldKeyEvent = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
};
/** `by`: points of the displayed page. */
export type FieldKeyAction =
  | { readonly kind: "move" | "resize"; readonly by: Delta }
  | { readonly kind: "delete" | "duplicate" | "deselect" | "toggle" };

/** One point, a pixel at 100 %; five with Shift. */
const FINE_STEP = 1;
const STEP = 5;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Null for a key that the browser keeps. */
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
