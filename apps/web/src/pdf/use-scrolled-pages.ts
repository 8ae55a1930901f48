import { useEffect, useMemo, useRef, useState } from "react";
import { wantsLessMotion } from "../lib/accessibility.ts";
import { layoutPages, type PageColumn, type PageLayout, type PageSize, stackPages } from "./page-layout.ts";
import type { usePdf } from "./use-pdf.ts";
import { useRoomWidth } from "./use-room-width.ts";
import { useVisiblePages } from "./use-visible-pages.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";

const NO_PAGES: readonly PageSize[] = [];
type PageTarget = { readonly pageNumber: number; readonly y?: number; readonly x?: number };
export type ScrolledPages = ReturnType<typeof useScrolledPages>;

/** The pages as they stand in one column at a zoom, which of them are in sight, and the way to any point of them. */
export function useScrolledPages(given: readonly PageSize[] | undefined, state: ReturnType<typeof usePdf>) {
  const scroller = useRef<HTMLElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const roomPx = useRoomWidth(scroller);
  const sizes = usePageSizes(given ?? NO_PAGES, state);
  const layouts = useMemo(() => layoutPages(sizes, { roomPx, zoom }), [sizes, roomPx, zoom]);
  const column = useMemo(() => stackPages(layouts), [layouts]);
  const inSight = useVisiblePages({ scroller, stack, column });
  useWheelZoom(scroller, setZoom);
  const goTo = (target: PageTarget) => scrollToPage({ scroller: scroller.current, stack: stack.current, layouts, column }, target);
  useKeptPlace(goTo, inSight.current, zoom);
  return { scroller, stack, zoom, setZoom, roomPx, layouts, column, inSight, goTo };
}

/** The pages' sizes: those given, or the first page's for all, corrected as the others are read (at most 300 at once, in the idle time). */
function usePageSizes(given: readonly PageSize[], state: ReturnType<typeof usePdf>): readonly PageSize[] {
  const [read, setRead] = useState<readonly PageSize[]>(NO_PAGES);
  const pdf = state.status === "ready" ? state.pdf : null;
  const firstPage = state.status === "ready" ? state.firstPage : null;
  useEffect(() => {
    if (!pdf || !firstPage || given.length > 0) return;
    let stopped = false;
    setRead(Array.from({ length: pdf.pageCount }, () => firstPage));
    const readAll = async () => {
      const sizes: PageSize[] = [];
      for (let page = 1; page <= pdf.pageCount && !stopped; page++) sizes.push(await pdf.pageSize(page));
      if (!stopped) setRead(sizes);
    };
    // A page that cannot be read keeps the first page's size; its own frame says the error.
    readAll().catch(() => undefined);
    return () => {
      stopped = true;
    };
  }, [pdf, firstPage, given]);
  return given.length > 0 ? given : read;
}

/** Keeps the same page under the eye when the zoom changes all heights. */
function useKeptPlace(goTo: (target: PageTarget) => void, current: number, zoom: number): void {
  const last = useRef({ current, zoom });
  useEffect(() => {
    if (last.current.zoom !== zoom) goTo({ pageNumber: last.current.current, y: 0.5 });
    last.current = { current, zoom };
  });
}

type Stacked = {
  readonly scroller: HTMLElement | null;
  readonly stack: HTMLElement | null;
  readonly layouts: readonly PageLayout[];
  readonly column: PageColumn;
};

/** The page may not stand yet: its place is known all the same, and the scroll makes it stand. */
function scrollToPage({ scroller, stack, layouts, column }: Stacked, { pageNumber, y = 0, x }: PageTarget): void {
  const layout = layouts[pageNumber - 1];
  if (!scroller || !stack || !layout) return;
  const start = { top: stack.offsetTop + (column.tops[pageNumber - 1] ?? 0), left: stack.offsetLeft + (column.lefts[pageNumber - 1] ?? 0) };
  // The top of a page goes to the top of the window; a point inside it goes to the middle.
  const top = start.top + (y === 0 ? -12 : layout.heightPx * y - scroller.clientHeight / 2);
  const left = x === undefined ? scroller.scrollLeft : start.left + layout.widthPx * x - scroller.clientWidth / 2;
  const calm = wantsLessMotion();
  // A long way is not travelled: hundreds of pages would be drawn for nothing.
  const isFar = Math.abs(top - scroller.scrollTop) > 4 * scroller.clientHeight;
  scroller.scrollTo({ top, left, behavior: calm || isFar ? "auto" : "smooth" });
}
