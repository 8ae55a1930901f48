import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { wantsLessMotion } from "../lib/browser/accessibility.ts";
import {
  PAGE_ATTRIBUTE,
  type PageColumn,
  type PageLayout,
  type PageSize,
  type PagesInSight,
  areSameSizes,
  layoutPages,
  pageAtHeight,
  pagesInSight,
  stackPages,
  zoomWithin,
} from "./page-layout.ts";
import type { usePdf } from "./use-pdf.ts";

/** The point in the window's middle, and the distance seen, in fractions of the page. */
type Looked = {
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly reach: number;
  readonly isTop: boolean;
};
type Scrolled = Pick<HTMLElement, "scrollLeft" | "scrollTop" | "clientWidth" | "clientHeight">;
type Stack = Pick<HTMLElement, "offsetLeft" | "offsetTop">;

/** Uses the computed column, because a page gone to may not be drawn yet. */
export function lookedAt(
  { scrollLeft, scrollTop, clientWidth, clientHeight }: Scrolled,
  stack: Stack | null,
  { layouts, column }: { readonly layouts: readonly PageLayout[]; readonly column: PageColumn },
): Looked | null {
  if (!stack) return null;
  const [left, top] = [scrollLeft - stack.offsetLeft, scrollTop - stack.offsetTop];
  const middle = top + clientHeight / 2;
  const pageNumber = pageAtHeight(column.tops, middle);
  const layout = layouts[pageNumber - 1];
  if (!layout) return null;
  const start = { left: column.lefts[pageNumber - 1] ?? 0, top: column.tops[pageNumber - 1] ?? 0 };
  const page = {
    ...start,
    right: start.left + layout.widthPx,
    bottom: start.top + layout.heightPx,
  };
  return {
    pageNumber,
    x: middleInSight(page, { left, top, right: left + clientWidth, bottom: top + clientHeight }).x,
    y: (middle - page.top) / layout.heightPx,
    reach: clientHeight / 2 / layout.heightPx,
    isTop: scrollTop < 1,
  };
}

/** CSS pixels; known before the first paint, so that nothing shifts. */
function useRoomWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const { paddingLeft, paddingRight } = getComputedStyle(target);
    setWidth(
      Math.floor(
        target.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
      ) || 0,
    );
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

type Seen = {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly stack: RefObject<HTMLElement | null>;
  readonly column: PageColumn;
};

/** Reads the scroll once a frame, and renders only on change. */
function useVisiblePages({ scroller, stack, column }: Seen): PagesInSight {
  const [visible, setVisible] = useState<PagesInSight>({ current: 1, first: 1, last: 2 });
  useEffect(() => {
    const element = scroller.current;
    if (!element || column.tops.length === 0) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = element.scrollTop - (stack.current?.offsetTop ?? 0);
      const after = pagesInSight(column, { top, bottom: top + element.clientHeight });
      setVisible((before) =>
        before.current === after.current &&
        before.first === after.first &&
        before.last === after.last
          ? before
          : after,
      );
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(measure);
    };
    const observer = new ResizeObserver(schedule);
    observer.observe(element);
    element.addEventListener("scroll", schedule, { passive: true });
    schedule();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener("scroll", schedule);
    };
  }, [scroller, stack, column]);
  return visible;
}

/** Ctrl + wheel, also a trackpad's pinch; Ctrl + and Ctrl − stay the browser's. */
function useWheelZoom(
  scroller: RefObject<HTMLElement | null>,
  setZoom: Dispatch<SetStateAction<number>>,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom((zoom) => zoomWithin(zoom * Math.exp(-event.deltaY / 400)));
    };
    // React's wheel listener is passive and cannot stop the browser's zoom.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [scroller, setZoom]);
}

const NO_PAGES: readonly PageSize[] = [];
type PageTarget = {
  readonly pageNumber: number;
  readonly y?: number;
  readonly x?: number;
  readonly isAtOnce?: boolean;
};
export type ScrolledPages = ReturnType<typeof useScrolledPages>;

export function useScrolledPages(
  given: readonly PageSize[] | undefined,
  state: ReturnType<typeof usePdf>,
) {
  const scroller = useRef<HTMLElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const roomPx = useRoomWidth(scroller);
  // Equal sizes, as after a save, lay nothing out again.
  const sizes = useUnchanged(usePageSizes(given ?? NO_PAGES, state), areSameSizes);
  const layouts = useMemo(() => layoutPages(sizes, { roomPx, zoom }), [sizes, roomPx, zoom]);
  const column = useMemo(() => stackPages(layouts), [layouts]);
  const inSight = useVisiblePages({ scroller, stack, column });
  useWheelZoom(scroller, setZoom);
  const note = useKeptPlace({ scroller, stack, layouts, column });
  const goTo = (target: PageTarget) => {
    scrollToPage({ scroller: scroller.current, stack: stack.current, layouts, column }, target);
    // A phone may turn before the scroll event.
    note();
  };
  return { scroller, stack, zoom, setZoom, roomPx, layouts, column, inSight, goTo };
}

/** Every page has the first one's size, corrected in idle time (300 pages at once). */
function usePageSizes(
  given: readonly PageSize[],
  state: ReturnType<typeof usePdf>,
): readonly PageSize[] {
  const [read, setRead] = useState<readonly PageSize[]>(NO_PAGES);
  const pdf = state.status === "ready" ? state.pdf : null;
  const firstPage = state.status === "ready" ? state.firstPage : null;
  useEffect(() => {
    if (!pdf || !firstPage || given.length > 0) return;
    let stopped = false;
    setRead(Array.from({ length: pdf.pageCount }, () => firstPage));
    const readAll = async () => {
      const sizes: PageSize[] = [];
      for (let page = 1; page <= pdf.pageCount && !stopped; page++)
        sizes.push(await pdf.pageSize(page));
      if (!stopped) setRead(sizes);
    };
    // An unreadable page keeps the first page's size; its frame reports the error.
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
 * After a zoom or a turn, keeps the focused control in place, else the selected field, else the
 * middle.
 */
function useKeptPlace({ scroller, stack, layouts, column }: Kept): () => void {
  const looked = useRef<Looked | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const target =
      looked.current === null
        ? null
        : (controlInHand(element, looked.current) ??
          (looked.current.isTop ? null : looked.current));
    if (target)
      scrollToPage(
        { scroller: element, stack: stack.current, layouts, column },
        { ...target, isAtOnce: true },
      );
    const { clientWidth } = element;
    const note = () => {
      // The window turned but is not laid out yet, so its middle is another.
      if (element.clientWidth === clientWidth)
        looked.current = lookedAt(element, stack.current, { layouts, column });
    };
    note();
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [scroller, stack, layouts, column]);
  return () => {
    if (scroller.current)
      looked.current = lookedAt(scroller.current, stack.current, { layouts, column });
  };
}

/** Middle of the focused control, else of the selected field, when in sight. */
function controlInHand(scroller: HTMLElement, looked: Looked): PageTarget | null {
  for (const wanted of [":focus", "[data-state=selected]"]) {
    const control = scroller.querySelector(wanted);
    const page = control?.closest(`[${PAGE_ATTRIBUTE}]`);
    if (!control || !page) continue;
    const [box, sheet] = [control.getBoundingClientRect(), page.getBoundingClientRect()];
    const pageNumber = Number(page.getAttribute(PAGE_ATTRIBUTE));
    const y = (box.top + box.height / 2 - sheet.top) / sheet.height;
    // A page before or after is near enough, because most are as high.
    if (Math.abs(pageNumber + y - looked.pageNumber - looked.y) < looked.reach)
      return { pageNumber, x: (box.left + box.width / 2 - sheet.left) / sheet.width, y };
  }
  return null;
}

type Stacked = {
  readonly scroller: HTMLElement | null;
  readonly stack: HTMLElement | null;
  readonly layouts: readonly PageLayout[];
  readonly column: PageColumn;
};

/** The page need not be in the DOM: its place is computed. */
function scrollToPage(
  { scroller, stack, layouts, column }: Stacked,
  { pageNumber, y = 0, x, isAtOnce = false }: PageTarget,
): void {
  const layout = layouts[pageNumber - 1];
  if (!scroller || !stack || !layout) return;
  const start = {
    top: stack.offsetTop + (column.tops[pageNumber - 1] ?? 0),
    left: stack.offsetLeft + (column.lefts[pageNumber - 1] ?? 0),
  };
  const top = start.top + (y === 0 ? -12 : layout.heightPx * y - scroller.clientHeight / 2);
  const left =
    x === undefined
      ? scroller.scrollLeft
      : start.left + layout.widthPx * x - scroller.clientWidth / 2;
  const calm = wantsLessMotion();
  // A smooth scroll over hundreds of pages would draw them all.
  const isFar = Math.abs(top - scroller.scrollTop) > 4 * scroller.clientHeight;
  scroller.scrollTo({ top, left, behavior: calm || isFar || isAtOnce ? "auto" : "smooth" });
}

type Frame = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

/** Fractions of the page; its middle when none is seen. */
export function middleInSight(
  page: Frame,
  window: Frame,
): { readonly x: number; readonly y: number } {
  return {
    x: middle({ from: page.left, to: page.right }, { from: window.left, to: window.right }),
    y: middle({ from: page.top, to: page.bottom }, { from: window.top, to: window.bottom }),
  };
}

type Span = { readonly from: number; readonly to: number };

function middle(page: Span, window: Span): number {
  const from = Math.max(page.from, window.from);
  const to = Math.min(page.to, window.to);
  return from < to ? ((from + to) / 2 - page.from) / (page.to - page.from) : 0.5;
}

/** The earlier object as long as `isSame`. */
export function useUnchanged<T>(given: T, isSame: (before: T, after: T) => boolean): T {
  const [kept, setKept] = useState(given);
  if (kept === given || isSame(kept, given)) return kept;
  setKept(given);
  return given;
}
