import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { wantsLessMotion } from "../lib/accessibility.ts";
import { type Looked, lookedAt } from "./looked-at.ts";
import { PAGE_ATTRIBUTE } from "./page-at-point.ts";
import { areSameSizes, layoutPages, type PageColumn, type PageLayout, type PageSize, stackPages } from "./page-layout.ts";
import type { usePdf } from "./use-pdf.ts";
import { useUnchanged } from "../lib/use-unchanged.ts";
import { useRoomWidth } from "./use-room-width.ts";
import { useVisiblePages } from "./use-visible-pages.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";

const NO_PAGES: readonly PageSize[] = [];
type PageTarget = { readonly pageNumber: number; readonly y?: number; readonly x?: number; readonly isAtOnce?: boolean };
export type ScrolledPages = ReturnType<typeof useScrolledPages>;

/** The pages as they stand in one column at a zoom, which of them are in sight, and the way to any point of them. */
export function useScrolledPages(given: readonly PageSize[] | undefined, state: ReturnType<typeof usePdf>) {
  const scroller = useRef<HTMLElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const roomPx = useRoomWidth(scroller);
  // The same pages told anew, as after a save, are the same: nothing is laid out again, and nothing moves.
  const sizes = useUnchanged(usePageSizes(given ?? NO_PAGES, state), areSameSizes);
  const layouts = useMemo(() => layoutPages(sizes, { roomPx, zoom }), [sizes, roomPx, zoom]);
  const column = useMemo(() => stackPages(layouts), [layouts]);
  const inSight = useVisiblePages({ scroller, stack, column });
  useWheelZoom(scroller, setZoom);
  const note = useKeptPlace({ scroller, stack, layouts, column });
  const goTo = (target: PageTarget) => {
    scrollToPage({ scroller: scroller.current, stack: stack.current, layouts, column }, target);
    // A phone may be turned before the scroll is told.
    note();
  };
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

type Kept = {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly stack: RefObject<HTMLElement | null>;
  readonly layouts: readonly PageLayout[];
  readonly column: PageColumn;
};

/**
 * Keeps under the eye what was there when all heights change, at another zoom or on a phone that is turned: the control in hand where it was in sight,
 * else the middle of the window. At the top one stays at the top. Gives the way to note at once what is looked at.
 */
function useKeptPlace({ scroller, stack, layouts, column }: Kept): () => void {
  const looked = useRef<Looked | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const target =
      looked.current === null ? null : (controlInHand(element, looked.current) ?? (looked.current.isTop ? null : looked.current));
    if (target) scrollToPage({ scroller: element, stack: stack.current, layouts, column }, { ...target, isAtOnce: true });
    const { clientWidth } = element;
    const note = () => {
      // Turned, and not laid out anew yet: what is in the middle now is not what was looked at.
      if (element.clientWidth === clientWidth) looked.current = lookedAt(element, stack.current, { layouts, column });
    };
    note();
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [scroller, stack, layouts, column]);
  return () => {
    if (scroller.current) looked.current = lookedAt(scroller.current, stack.current, { layouts, column });
  };
}

/** The middle of the control that has the focus, where it stood in sight. */
function controlInHand(scroller: HTMLElement, { pageNumber, y, reach }: Looked): PageTarget | null {
  const control = document.activeElement;
  const page = control?.closest<HTMLElement>(`[${PAGE_ATTRIBUTE}]`);
  if (!control || !page || !scroller.contains(page) || pageNumberOf(page) !== pageNumber) return null;
  const [box, sheet] = [control.getBoundingClientRect(), page.getBoundingClientRect()];
  const at = (box.top + box.height / 2 - sheet.top) / sheet.height;
  return Math.abs(at - y) < reach ? { pageNumber, x: (box.left + box.width / 2 - sheet.left) / sheet.width, y: at } : null;
}

function pageNumberOf(page: HTMLElement): number {
  return Number(page.getAttribute(PAGE_ATTRIBUTE));
}

type Stacked = {
  readonly scroller: HTMLElement | null;
  readonly stack: HTMLElement | null;
  readonly layouts: readonly PageLayout[];
  readonly column: PageColumn;
};

/** The page may not stand yet: its place is known all the same, and the scroll makes it stand. */
function scrollToPage({ scroller, stack, layouts, column }: Stacked, { pageNumber, y = 0, x, isAtOnce = false }: PageTarget): void {
  const layout = layouts[pageNumber - 1];
  if (!scroller || !stack || !layout) return;
  const start = { top: stack.offsetTop + (column.tops[pageNumber - 1] ?? 0), left: stack.offsetLeft + (column.lefts[pageNumber - 1] ?? 0) };
  // The top of a page goes to the top of the window; a point inside it goes to the middle.
  const top = start.top + (y === 0 ? -12 : layout.heightPx * y - scroller.clientHeight / 2);
  const left = x === undefined ? scroller.scrollLeft : start.left + layout.widthPx * x - scroller.clientWidth / 2;
  const calm = wantsLessMotion();
  // A long way is not travelled: hundreds of pages would be drawn for nothing.
  const isFar = Math.abs(top - scroller.scrollTop) > 4 * scroller.clientHeight;
  scroller.scrollTo({ top, left, behavior: calm || isFar || isAtOnce ? "auto" : "smooth" });
}
