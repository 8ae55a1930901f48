export type PageSize = { readonly width: number; readonly height: number };
export function areSameSizes(one: readonly PageSize[], other: readonly PageSize[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ width, height }, index) => width === other[index]?.width && height === other[index].height,
    )
  );
}
export type PageLayout = {
  readonly widthPx: number;
  readonly heightPx: number;
  /** CSS pixels a point. */
  readonly scale: number;
};

/** Width of a page at 100 %, for comfortable lines. */
const FULL_WIDTH_PX = 820;
export const MIN_ZOOM = 0.5;
export const MAX_ZOOM = 3;
const ZOOM_STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3] as const;
/** iOS refuses canvases above 16 777 216 pixels. */
const MAX_CANVAS_PIXELS = 16_000_000;
const MAX_PIXEL_RATIO = 3;

export function zoomWithin(zoom: number): number {
  return Math.min(Math.max(zoom, MIN_ZOOM), MAX_ZOOM);
}

export function nextZoom(zoom: number, direction: "in" | "out"): number {
  if (direction === "in") return ZOOM_STEPS.find((step) => step > zoom + 0.01) ?? MAX_ZOOM;
  return [...ZOOM_STEPS].reverse().find((step) => step < zoom - 0.01) ?? MIN_ZOOM;
}

export function fitWidthZoom(roomPx: number): number {
  return zoomWithin(roomPx / Math.min(roomPx, FULL_WIDTH_PX));
}

/** Wider pages shrink to the first, narrower ones keep their proportion. */
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

/** The screen's ratio, at most 3, within what a canvas may hold. */
export function canvasRatio(layout: PageLayout, devicePixelRatio: number): number {
  const wanted = Math.min(Math.max(devicePixelRatio, 1), MAX_PIXEL_RATIO);
  const most = Math.sqrt(MAX_CANVAS_PIXELS / (layout.widthPx * layout.heightPx));
  return Math.min(wanted, most);
}

const PAGE_GAP_PX = 20;

/** Top and left of each page, and the column's size. CSS pixels. */
export type PageColumn = {
  readonly tops: readonly number[];
  readonly lefts: readonly number[];
  readonly widthPx: number;
  readonly heightPx: number;
};

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

/** Numbers, from 1, of the page in the middle and of the first and last to draw. */
export type PagesInSight = {
  readonly current: number;
  readonly first: number;
  readonly last: number;
};

export function pagesInSight(
  { tops }: PageColumn,
  window: { readonly top: number; readonly bottom: number },
): PagesInSight {
  const first = pageAtHeight(tops, window.top);
  const last = pageAtHeight(tops, window.bottom);
  const current = pageAtHeight(tops, (window.top + window.bottom) / 2 + PAGE_GAP_PX / 2);
  return { current, first: Math.max(1, first - 1), last: Math.min(tops.length, last + 1) };
}

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
 * Pages in sight and, of those with Tab stops, the first, the last and the nearest, so that the
 * focus can go on.
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

export const PAGE_ATTRIBUTE = "data-pdf-page";

/** Fractions of the page, and its size on the screen. */
type PagePoint = {
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly widthPx: number;
  readonly heightPx: number;
};

export function pageAtPoint(clientX: number, clientY: number): PagePoint | null {
  const page = document
    .elementsFromPoint(clientX, clientY)
    .find((element) => element.matches(`[${PAGE_ATTRIBUTE}]`));
  if (!page) return null;
  const frame = page.getBoundingClientRect();
  return {
    pageNumber: Number(page.getAttribute(PAGE_ATTRIBUTE)),
    x: (clientX - frame.left) / frame.width,
    y: (clientY - frame.top) / frame.height,
    widthPx: frame.width,
    heightPx: frame.height,
  };
}
