/** Displayed size of a page in points. */
export type PageSize = { readonly width: number; readonly height: number };
/** Tells whether two documents have pages of the same sizes. */
export function areSameSizes(one: readonly PageSize[], other: readonly PageSize[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ width, height }, index) => width === other[index]?.width && height === other[index].height,
    )
  );
}
/** Size of a page on the screen, CSS pixels. */
export type PageLayout = {
  readonly widthPx: number;
  readonly heightPx: number /** CSS pixels a point. */;
  readonly scale: number;
};

/** At 100 % a page is as wide as the room given to it, up to this: a comfortable line length for reading. */
export const FULL_WIDTH_PX = 820;
export const MIN_ZOOM = 0.5;
export const MAX_ZOOM = 3;
const ZOOM_STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3] as const;
/** iOS refuses a canvas above 16 777 216 pixels; beyond it the page is drawn less finely, never not at all. */
const MAX_CANVAS_PIXELS = 16_000_000;
const MAX_PIXEL_RATIO = 3;

/** Gives the zoom kept within 50 % and 300 %. */
export function zoomWithin(zoom: number): number {
  return Math.min(Math.max(zoom, MIN_ZOOM), MAX_ZOOM);
}

/** The next zoom step above or below the present zoom. */
export function nextZoom(zoom: number, direction: "in" | "out"): number {
  if (direction === "in") return ZOOM_STEPS.find((step) => step > zoom + 0.01) ?? MAX_ZOOM;
  return [...ZOOM_STEPS].reverse().find((step) => step < zoom - 0.01) ?? MIN_ZOOM;
}

/** The zoom at which a page fills the room's width. */
export function fitWidthZoom(roomPx: number): number {
  return zoomWithin(roomPx / Math.min(roomPx, FULL_WIDTH_PX));
}

/**
 * Lays the pages out: the first page's width is the reference, a wider page is shrunk to it and a narrower one keeps its proportion,
 * so that a sideways plan in the middle of a contract does not make the contract tiny.
 */
export function layoutPages(
  pages: readonly PageSize[],
  room: { roomPx: number; zoom: number },
): PageLayout[] {
  const reference = pages[0]?.width ?? 1;
  const fullPx = Math.min(Math.max(room.roomPx, 160), FULL_WIDTH_PX) * room.zoom;
  return pages.map((page) => {
    const widthPx = Math.round(fullPx * Math.min(1, page.width / reference));
    return {
      widthPx,
      heightPx: Math.round((widthPx * page.height) / page.width),
      scale: widthPx / page.width,
    };
  });
}

/** How many canvas pixels to draw for a CSS pixel: the screen's own ratio, at most 3, within what a canvas may hold. */
export function canvasRatio(layout: PageLayout, devicePixelRatio: number): number {
  const wanted = Math.min(Math.max(devicePixelRatio, 1), MAX_PIXEL_RATIO);
  const most = Math.sqrt(MAX_CANVAS_PIXELS / (layout.widthPx * layout.heightPx));
  return Math.min(wanted, most);
}

/** Room between two pages, CSS pixels. */
export const PAGE_GAP_PX = 20;

/** Where each page stands in the column they make: its top, its left, and the whole column's size. CSS pixels. */
export type PageColumn = {
  readonly tops: readonly number[];
  readonly lefts: readonly number[];
  readonly widthPx: number;
  readonly heightPx: number;
};

/** Stacks the pages, each in the middle of the column. */
export function stackPages(layouts: readonly PageLayout[]): PageColumn {
  const widthPx = layouts.reduce((most, { widthPx: width }) => Math.max(most, width), 0);
  let heightPx = 0;
  const tops = layouts.map((layout) => {
    const top = heightPx;
    heightPx += layout.heightPx + PAGE_GAP_PX;
    return top;
  });
  return {
    tops,
    lefts: layouts.map((layout) => (widthPx - layout.widthPx) / 2),
    widthPx,
    heightPx: Math.max(0, heightPx - PAGE_GAP_PX),
  };
}

/** Which pages a window onto the column shows: the one that holds its middle, and those to draw, one more on each side. Pages from 1. */
export type PagesInSight = {
  readonly current: number;
  readonly first: number;
  readonly last: number;
};

/** Gives the pages in sight; nothing is measured, whatever the number of pages. */
export function pagesInSight(
  { tops }: PageColumn,
  window: { readonly top: number; readonly bottom: number },
): PagesInSight {
  const first = pageAtHeight(tops, window.top);
  const last = pageAtHeight(tops, window.bottom);
  const current = pageAtHeight(tops, (window.top + window.bottom) / 2 + PAGE_GAP_PX / 2);
  return { current, first: Math.max(1, first - 1), last: Math.min(tops.length, last + 1) };
}

/** The last page whose top is not below this height. */
export function pageAtHeight(tops: readonly number[], height: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/**
 * Gives the pages that stand in the document: those in sight, and of those that hold something to reach with the Tab key the first, the last, and the
 * nearest ones above and below. The focus that comes to one brings it into sight, and the next ones then stand there.
 */
export function standingPages(
  { first, last }: Pick<PagesInSight, "first" | "last">,
  pages: { readonly count: number; readonly filled: readonly number[] | "all" },
): readonly number[] {
  const all = Array.from({ length: pages.count }, (_, index) => index + 1);
  if (pages.filled === "all") return all;
  const filled = [...pages.filled]
    .sort((a, b) => a - b)
    .filter((page) => page >= 1 && page <= pages.count);
  const reach = [
    filled[0],
    filled.at(-1),
    filled.findLast((page) => page < first),
    filled.find((page) => page > last),
  ];
  return all.filter((page) => (page >= first && page <= last) || reach.includes(page));
}
