import { type Box, boxInPage, type Handle, MIN_HEIGHT, MIN_WIDTH, moveBox } from "./box.ts";

/** A line shown while an edge is caught by another: `at` in fractions of the page. */
export type SnapGuide = { readonly axis: "x" | "y"; readonly at: number };
export type Snapped = { readonly box: Box; readonly guides: readonly SnapGuide[] };

/** How near an edge must come to be caught: 0.6 % of the page. */
export const SNAP_DISTANCE = 0.006;
/** The margins of a usual letter, 9.5 % of the page, and its middle. */
const PAGE_LINES = [0.095, 0.5, 0.905] as const;

type Catch = { readonly shift: number; readonly at: number };

/**
 * Moves a box so that its left, middle or right edge (then top, middle or bottom) meets that of another field, a margin or the page's middle.
 * Gives the guides to show; none when nothing was near enough.
 */
export function snapBox(box: Box, others: readonly Box[]): Snapped {
  const x = nearest(edges(box.x, box.width), linesAcross(others));
  const y = nearest(edges(box.y, box.height), linesDown(others));
  return { box: moveBox(box, { dx: x?.shift ?? 0, dy: y?.shift ?? 0 }), guides: guidesOf(x, y) };
}

/** Catches only the edges that the handle pulls; the others stay where they are, and the box keeps its smallest size. */
export function snapResized(box: Box, handle: Handle, others: readonly Box[]): Snapped {
  const pulled = { w: box.x, e: box.x + box.width, n: box.y, s: box.y + box.height };
  const across = handle.includes("w") ? "w" : handle.includes("e") ? "e" : null;
  const down = handle.includes("n") ? "n" : handle.includes("s") ? "s" : null;
  const x = across ? nearest([pulled[across]], linesAcross(others)) : null;
  const y = down ? nearest([pulled[down]], linesDown(others)) : null;
  const left = pulled.w + (across === "w" ? (x?.shift ?? 0) : 0);
  const top = pulled.n + (down === "n" ? (y?.shift ?? 0) : 0);
  const width = pulled.e + (across === "e" ? (x?.shift ?? 0) : 0) - left;
  const height = pulled.s + (down === "s" ? (y?.shift ?? 0) : 0) - top;
  if (width < MIN_WIDTH || height < MIN_HEIGHT) return { box, guides: [] };
  return { box: boxInPage({ x: left, y: top, width, height }), guides: guidesOf(x, y) };
}

function linesAcross(others: readonly Box[]): readonly number[] {
  return [...PAGE_LINES, ...others.flatMap((other) => edges(other.x, other.width))];
}

function linesDown(others: readonly Box[]): readonly number[] {
  return [...PAGE_LINES, ...others.flatMap((other) => edges(other.y, other.height))];
}

function guidesOf(x: Catch | null, y: Catch | null): readonly SnapGuide[] {
  const guides: SnapGuide[] = [];
  if (x) guides.push({ axis: "x", at: x.at });
  if (y) guides.push({ axis: "y", at: y.at });
  return guides;
}

function edges(start: number, length: number): readonly [number, number, number] {
  return [start, start + length / 2, start + length];
}

function nearest(moving: readonly number[], lines: readonly number[]): Catch | null {
  let best: Catch | null = null;
  for (const line of lines) {
    for (const edge of moving) {
      const shift = line - edge;
      if (Math.abs(shift) <= SNAP_DISTANCE && (best === null || Math.abs(shift) < Math.abs(best.shift))) best = { shift, at: line };
    }
  }
  return best;
}
