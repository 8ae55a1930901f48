/** Fractions (0 to 1) of the displayed page (CropBox, rotation applied), origin top left. */
export type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type Handle = "nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w";
export const HANDLES: readonly Handle[] = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

/** A smaller field cannot be hit with a finger, nor read once printed. */
export const MIN_WIDTH = 0.04;
export const MIN_HEIGHT = 0.02;

const PRECISION = 100_000;
/** 0.006 pt on A4; a placement may be off by half a point. */
const rounded = (value: number) => Math.round(value * PRECISION) / PRECISION;
const between = (value: number, low: number, high: number) =>
  Math.min(Math.max(value, low), Math.max(low, high));

export function boxInPage(box: Box): Box {
  const width = rounded(between(box.width, MIN_WIDTH, 1));
  const height = rounded(between(box.height, MIN_HEIGHT, 1));
  return {
    x: rounded(between(box.x, 0, 1 - width)),
    y: rounded(between(box.y, 0, 1 - height)),
    width,
    height,
  };
}

type Size = Pick<Box, "width" | "height">;
export const A4_PT: Size = { width: 595, height: 842 };

/** The paper that `size` takes on A4, as fractions of a page in points. */
export function sizeOnPage(size: Size, page: Size = A4_PT): Size {
  return {
    width: Math.min((size.width * A4_PT.width) / page.width, 1),
    height: Math.min((size.height * A4_PT.height) / page.height, 1),
  };
}

export type Delta = { readonly dx: number; readonly dy: number };

/** Stops at the page's edges; the size stays, even a small one. */
export function moveBox(box: Box, by: Delta): Box {
  const x = rounded(between(box.x + by.dx, 0, 1 - box.width));
  return {
    x,
    y: rounded(between(box.y + by.dy, 0, 1 - box.height)),
    width: box.width,
    height: box.height,
  };
}

export function frameOf(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

export function moveTogether(boxes: readonly Box[], by: Delta): readonly Box[] {
  if (boxes.length === 0) return [];
  const frame = frameOf(boxes);
  const dx = between(by.dx, -frame.x, 1 - frame.x - frame.width);
  const dy = between(by.dy, -frame.y, 1 - frame.y - frame.height);
  return boxes.map((box) => moveBox(box, { dx, dy }));
}

/** The opposite edge stays; the page and the smallest size stop it. */
export function resizeBox(box: Box, handle: Handle, by: Delta): Box {
  let { x, y } = box;
  let right = box.x + box.width;
  let bottom = box.y + box.height;
  if (handle.includes("w")) x = between(x + by.dx, 0, right - MIN_WIDTH);
  if (handle.includes("e")) right = between(right + by.dx, x + MIN_WIDTH, 1);
  if (handle.includes("n")) y = between(y + by.dy, 0, bottom - MIN_HEIGHT);
  if (handle.includes("s")) bottom = between(bottom + by.dy, y + MIN_HEIGHT, 1);
  return boxInPage({ x, y, width: right - x, height: bottom - y });
}

export function boxAround(
  point: { x: number; y: number },
  size: { width: number; height: number },
): Box {
  return boxInPage({
    x: point.x - size.width / 2,
    y: point.y - size.height / 2,
    width: size.width,
    height: size.height,
  });
}

export function boxesOverlap(a: Box, b: Box): boolean {
  const slack = 0.0005;
  return (
    a.x + a.width > b.x + slack &&
    b.x + b.width > a.x + slack &&
    a.y + a.height > b.y + slack &&
    b.y + b.height > a.y + slack
  );
}
