import {
  type Box,
  type Handle,
  MIN_HEIGHT,
  MIN_WIDTH,
  boxInPage,
  frameOf,
  moveBox,
} from "../box.ts";

/** `at`: fraction of the page. */
export type SnapGuide = { readonly axis: "x" | "y"; readonly at: number };
export type Snapped = { readonly box: Box; readonly guides: readonly SnapGuide[] };

const SNAP_DISTANCE = 0.006;
/** Margins of a usual letter (9.5 %) and the middle. */
const PAGE_LINES = [0.095, 0.5, 0.905] as const;

type Catch = { readonly shift: number; readonly at: number };

/** Snaps to another field, a margin or the middle; gives the guides to show. */
export function snapBox(box: Box, others: readonly Box[]): Snapped {
  const x = nearest(edges(box.x, box.width), linesAcross(others));
  const y = nearest(edges(box.y, box.height), linesDown(others));
  return { box: moveBox(box, { dx: x?.shift ?? 0, dy: y?.shift ?? 0 }), guides: guidesOf(x, y) };
}

/** Snaps the pulled edges alone; the box keeps its smallest size. */
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
      if (
        Math.abs(shift) <= SNAP_DISTANCE &&
        (best === null || Math.abs(shift) < Math.abs(best.shift))
      )
        best = { shift, at: line };
    }
  }
  return best;
}

export type Arrangement =
  | "left"
  | "center"
  | "right"
  | "top"
  | "middle"
  | "bottom"
  | "spread-x"
  | "spread-y";

/** Puts boxes on an edge or the middle of their frame, or spaces them evenly. */
export function arrangeBoxes(boxes: readonly Box[], how: Arrangement): readonly Box[] {
  if (boxes.length < 2) return boxes;
  if (how === "spread-x" || how === "spread-y")
    return spread(boxes, how === "spread-x" ? "x" : "y");
  const frame = frameOf(boxes);
  return boxes.map((box) => {
    const across = {
      left: frame.x,
      center: frame.x + (frame.width - box.width) / 2,
      right: frame.x + frame.width - box.width,
    };
    const down = {
      top: frame.y,
      middle: frame.y + (frame.height - box.height) / 2,
      bottom: frame.y + frame.height - box.height,
    };
    return how in across
      ? moveBox(box, { dx: across[how as keyof typeof across] - box.x, dy: 0 })
      : moveBox(box, { dx: 0, dy: down[how as keyof typeof down] - box.y });
  });
}

/** The first and last box stay in place. */
function spread(boxes: readonly Box[], axis: "x" | "y"): readonly Box[] {
  if (boxes.length < 3) return boxes;
  const size = axis === "x" ? "width" : "height";
  const order = boxes
    .map((_, index) => index)
    .sort((a, b) => at(boxes, a)[axis] - at(boxes, b)[axis]);
  const frame = frameOf(boxes);
  const room = (frame[size] - boxes.reduce((sum, box) => sum + box[size], 0)) / (boxes.length - 1);
  const moved = [...boxes];
  let next = frame[axis];
  for (const index of order) {
    const box = at(boxes, index);
    moved[index] = moveBox(
      box,
      axis === "x" ? { dx: next - box.x, dy: 0 } : { dx: 0, dy: next - box.y },
    );
    next += box[size] + room;
  }
  return moved;
}

function at(boxes: readonly Box[], index: number): Box {
  return boxes[index] as Box;
}
