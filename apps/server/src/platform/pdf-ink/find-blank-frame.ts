import {
  isTrap,
  openPdfiumDocument,
  type PageSize,
  type Picture,
  PIXEL_BYTES,
} from "./pdfium-document.ts";

/** `cells`: 1 has ink; squares of `cellPt` points, by row from the top left. */
export type PageInk = {
  readonly columns: number;
  readonly rows: number;
  readonly cellPt: number;
  readonly cells: Uint8Array;
};

type Corner = "bottom-right" | "bottom-left" | "top-right" | "top-left";
/** The first size that fits is taken, at the first corner. Points. */
export type FrameWanted = {
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  readonly corners: readonly Corner[];
  readonly edge: number;
  readonly gap: number;
};
/** `size`: index of the wanted sizes. Points from the top left. */
export type BlankFrame = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly size: number;
};

const CORNER_SHARE = 1 / 3;

/**
 * Gives a free corner, else the nearest place to the first; null without one. A larger size further
 * away wins.
 */
export function findBlankFrame(ink: PageInk, wanted: FrameWanted): BlankFrame | null {
  const sums = summed(ink);
  for (const [size, { width, height }] of wanted.sizes.entries()) {
    const room = roomFor(ink, { width, height }, wanted);
    if (room === null) continue;
    const found =
      inCorner(sums, room, wanted.corners) ??
      nearest(sums, room, { corner: wanted.corners[0] ?? "bottom-right", share: 1 });
    if (found !== null)
      return { x: found.column * ink.cellPt, y: found.row * ink.cellPt, width, height, size };
  }
  return null;
}

type Spot = { readonly column: number; readonly row: number };
/** The frame's top left cell, and its cells with the gap. */
type Room = {
  readonly first: Spot;
  readonly last: Spot;
  readonly across: number;
  readonly down: number;
  readonly gap: number;
  readonly ink: PageInk;
};

function roomFor(
  ink: PageInk,
  size: { readonly width: number; readonly height: number },
  wanted: FrameWanted,
): Room | null {
  const cells = (points: number) => Math.ceil(points / ink.cellPt - 1e-6);
  const [across, down, gap, edge] = [
    cells(size.width),
    cells(size.height),
    cells(wanted.gap),
    cells(wanted.edge),
  ];
  const last = { column: ink.columns - edge - across, row: ink.rows - edge - down };
  if (last.column < edge || last.row < edge) return null;
  return { first: { column: edge, row: edge }, last, across, down, gap, ink };
}

function inCorner(sums: Uint32Array, room: Room, corners: readonly Corner[]): Spot | null {
  for (const corner of corners) {
    const found = nearest(sums, room, { corner, share: CORNER_SHARE });
    if (found !== null) return found;
  }
  return null;
}

function nearest(
  sums: Uint32Array,
  room: Room,
  { corner, share }: { readonly corner: Corner; readonly share: number },
): Spot | null {
  const { first, last, across, down } = room;
  const fromRight = corner.endsWith("right");
  const fromBottom = corner.startsWith("bottom");
  const reach = {
    column:
      share === 1
        ? last.column - first.column
        : Math.max(0, Math.floor(room.ink.columns * share) - across),
    row: share === 1 ? last.row - first.row : Math.max(0, Math.floor(room.ink.rows * share) - down),
  };
  let best: (Spot & { readonly distance: number }) | null = null;
  for (let dy = 0; dy <= Math.min(reach.row, last.row - first.row); dy += 1) {
    if (best !== null && dy ** 2 >= best.distance) break;
    const row = fromBottom ? last.row - dy : first.row + dy;
    for (let dx = 0; dx <= Math.min(reach.column, last.column - first.column); dx += 1) {
      const distance = dx ** 2 + dy ** 2;
      if (best !== null && distance >= best.distance) break;
      const column = fromRight ? last.column - dx : first.column + dx;
      if (isBlank(sums, room, { column, row })) best = { column, row, distance };
    }
  }
  return best;
}

/** Summed-area table (Crow, SIGGRAPH 1984): a rectangle takes four reads. */
function summed({ columns, rows, cells }: PageInk): Uint32Array {
  const width = columns + 1;
  const sums = new Uint32Array(width * (rows + 1));
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = (row + 1) * width + column + 1;
      sums[at] =
        (cells[row * columns + column] ?? 0) +
        (sums[at - 1] ?? 0) +
        (sums[at - width] ?? 0) -
        (sums[at - width - 1] ?? 0);
    }
  }
  return sums;
}

function isBlank(
  sums: Uint32Array,
  { across, down, gap, ink }: Room,
  { column, row }: Spot,
): boolean {
  const [left, top] = [Math.max(0, column - gap), Math.max(0, row - gap)];
  const [right, bottom] = [
    Math.min(ink.columns, column + across + gap),
    Math.min(ink.rows, row + down + gap),
  ];
  const at = (x: number, y: number) => sums[y * (ink.columns + 1) + x] ?? 0;
  return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top) === 0;
}

type PageToRead = PageSize & { readonly pageNumber: number };

/** Darker in any channel is ink: tints and watermarks too. */
const PAPER = 250;
/** Bounds the memory that a poster takes. */
const MAX_CELLS = 2_000_000;

type InkReader = { ink(page: PageToRead): PageInk | null; close(): void };

/** Null if unreadable. */
async function openInkReader(bytes: Uint8Array): Promise<InkReader | null> {
  const document = await openPdfiumDocument(bytes);
  if (document === null) return null;
  return {
    // One pixel is a cell; PDFium rotates, crops and scales.
    ink({ pageNumber, width, height }) {
      const cellPt = Math.max(1, Math.sqrt((width * height) / MAX_CELLS));
      const [columns, rows] = [
        Math.max(1, Math.round(width / cellPt)),
        Math.max(1, Math.round(height / cellPt)),
      ];
      const cells = document.draw(pageNumber, { columns, rows, shown: "content" }, inkCells);
      return cells === null ? null : { columns, rows, cellPt, cells };
    },
    close: () => document.close(),
  };
}

function inkCells({ columns, rows, stride, pixels }: Picture): Uint8Array {
  const cells = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * stride + column * PIXEL_BYTES;
      const isPaper =
        (pixels[at] ?? 0) >= PAPER &&
        (pixels[at + 1] ?? 0) >= PAPER &&
        (pixels[at + 2] ?? 0) >= PAPER;
      if (!isPaper) cells[row * columns + column] = 1;
    }
  }
  return cells;
}

export type PageWanted = PageToRead & FrameWanted;

/** Reads pages, at least one, until `enough`; an unreadable page gives none. */
export async function findBlankFrames(
  bytes: Uint8Array,
  pages: readonly PageWanted[],
  enough: () => boolean,
): Promise<readonly (BlankFrame | null)[]> {
  let reader = await openReader(bytes);
  if (reader === null) return pages.map(() => null);
  const found: (BlankFrame | null)[] = [];
  for (const page of pages) {
    if (found.length > 0 && enough()) break;
    const ink: PageInk | "trap" | null = reader === null ? null : look(reader, page);
    if (ink === "trap") reader = await openReader(bytes);
    found.push(ink === null || ink === "trap" ? null : findBlankFrame(ink, page));
  }
  reader?.close();
  return found;
}

function look(reader: InkReader, page: PageToRead): PageInk | "trap" | null {
  try {
    return reader.ink(page);
  } catch (error) {
    if (!isTrap(error)) throw error;
    return "trap";
  }
}

async function openReader(bytes: Uint8Array): Promise<InkReader | null> {
  try {
    return await openInkReader(bytes);
  } catch (error) {
    if (!isTrap(error)) throw error;
    return null;
  }
}
