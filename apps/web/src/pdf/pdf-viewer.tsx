import { type ReactNode, type Ref, useEffect, useEffectEvent, useImperativeHandle, useMemo, useRef, useState } from "react";
import { wantsLessMotion } from "../lib/accessibility.ts";
import { middleInSight } from "./middle-in-sight.ts";
import { SCROLLER_ATTRIBUTE } from "./auto-scroll.ts";
import type { OpenedPdf } from "./open-pdf.ts";
import {
  fitWidthZoom,
  layoutPages,
  type PageColumn,
  type PageLayout,
  type PageSize,
  stackPages,
  standingPages,
  zoomWithin,
} from "./page-layout.ts";
import { PAGE_ATTRIBUTE } from "./page-at-point.ts";
import { PdfPage } from "./pdf-page.tsx";
import { PdfToolbar } from "./pdf-toolbar.tsx";
import styles from "./pdf-viewer.module.css";
import { type PdfSource, usePdf } from "./use-pdf.ts";
import { useRoomWidth } from "./use-room-width.ts";
import { useVisiblePages } from "./use-visible-pages.ts";
import { useWheelZoom } from "./use-wheel-zoom.ts";

/** What a page around the viewer may ask of it. */
export type PdfViewerHandle = {
  /** Brings a point of a page (fractions of it) to the middle of the window onto the document. */
  goTo(target: { pageNumber: number; y?: number; x?: number }): void;
  /** The page that holds the middle of the window. */
  currentPage(): number;
  /** The middle of what is seen of that page, in fractions of it. */
  middle(): { readonly pageNumber: number; readonly x: number; readonly y: number };
  /** Gives the keyboard's focus to the pages. */
  focus(): void;
  setZoom(zoom: number): void;
};

export type PdfViewerProps = {
  readonly source: PdfSource;
  /** Shown at the left of the tool bar: the file's name, or tabs when there are several. */
  readonly heading?: ReactNode;
  /** The region's accessible name. */
  readonly label: string;
  /** Sizes known before the file is there; without them the first page's size stands for all until each is read. */
  readonly pages?: readonly PageSize[];
  readonly failedText?: string;
  readonly downloadHref?: string;
  /** `fill`: the viewer scrolls inside the height it is given; `embedded`: it takes at most 80 % of the window's height. */
  readonly frame?: "fill" | "embedded";
  readonly renderLayer?: (pageNumber: number) => ReactNode;
  /** Pages whose layer holds something; the others stand in the document only near the eye. Without it all the pages of a layer stand. */
  readonly layerPages?: readonly number[];
  /** The document once it is open, null while it is not: for what shows its pages elsewhere. Must be the same function from one rendering to the next. */
  readonly onPdf?: (pdf: OpenedPdf | null) => void;
  /** The page shown first, from 1. */
  readonly startPage?: number;
  readonly onPageCount?: (count: number) => void;
  readonly onCurrentPage?: (pageNumber: number) => void;
  readonly ref?: Ref<PdfViewerHandle>;
};

const NO_PAGES: readonly PageSize[] = [];
const NO_LAYERS: readonly number[] = [];
type PageTarget = { readonly pageNumber: number; readonly y?: number; readonly x?: number };

/** Shows one PDF: pages drawn as they come near the eye, zoom, page keys, words kept for assistive technology, a layer over each page. */
export function PdfViewer(props: PdfViewerProps) {
  const {
    source,
    heading,
    label,
    pages = NO_PAGES,
    failedText = "Le document n’a pas pu être chargé.",
    downloadHref,
    frame = "fill",
    renderLayer,
    layerPages,
    onPdf,
    startPage = 1,
    onPageCount,
    onCurrentPage,
    ref,
  } = props;
  const scroller = useRef<HTMLElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const state = usePdf(source);
  const pdf = state.status === "ready" ? state.pdf : null;
  const [zoom, setZoom] = useState(1);
  const roomPx = useRoomWidth(scroller);
  const sizes = usePageSizes(pages, state);
  const layouts = useMemo(() => layoutPages(sizes, { roomPx, zoom }), [sizes, roomPx, zoom]);
  const column = useMemo(() => stackPages(layouts), [layouts]);
  const { current: currentPage, first, last } = useVisiblePages({ scroller, stack, column });
  const filled = renderLayer ? (layerPages ?? "all") : NO_LAYERS;
  const standing = standingPages({ first, last }, { count: layouts.length, filled });
  useWheelZoom(scroller, setZoom);
  const goTo = (target: PageTarget) => scrollToPage({ scroller: scroller.current, stack: stack.current, layouts, column }, target);
  useKeptPlace(goTo, currentPage, zoom);
  useEffect(() => {
    if (pdf) onPageCount?.(pdf.pageCount);
  }, [pdf, onPageCount]);
  useStartPage(pdf !== null && layouts.length > 0, () => startPage > 1 && goTo({ pageNumber: startPage, y: 0 }));
  useEffect(() => onPdf?.(pdf), [pdf, onPdf]);
  useEffect(() => onCurrentPage?.(currentPage), [currentPage, onCurrentPage]);

  useImperativeHandle(ref, () => ({
    goTo,
    currentPage: () => currentPage,
    middle: () => middleOf(scroller.current, currentPage),
    focus: () => scroller.current?.focus({ preventScroll: true }),
    setZoom: (value) => setZoom(zoomWithin(value)),
  }));

  return (
    <section className={styles.viewer} data-frame={frame} aria-label={label} aria-busy={state.status === "loading"}>
      <PdfToolbar
        heading={heading}
        zoom={zoom}
        current={currentPage}
        count={layouts.length}
        onZoom={setZoom}
        onFit={() => setZoom(fitWidthZoom(roomPx))}
      />
      <section
        ref={scroller}
        className={styles.pages}
        aria-label={`${label}, pages`}
        tabIndex={0}
        {...{ [SCROLLER_ATTRIBUTE]: "" }}
        onKeyDown={(event) => {
          const target = pageForKey(event.key, currentPage, layouts.length);
          if (target === null || event.target !== event.currentTarget) return;
          event.preventDefault();
          goTo({ pageNumber: target, y: 0 });
        }}
      >
        {state.status === "failed" ? (
          <DocumentError text={failedText} onRetry={state.retry} />
        ) : (
          <div ref={stack} className={styles.stack} style={{ width: column.widthPx, height: column.heightPx }}>
            {standing.map((pageNumber) => (
              <PdfPage
                key={pageNumber}
                pdf={pdf}
                pageNumber={pageNumber}
                pageCount={layouts.length}
                layout={layouts[pageNumber - 1] as PageLayout}
                at={{ top: column.tops[pageNumber - 1] ?? 0, left: column.lefts[pageNumber - 1] ?? 0 }}
                drawn={pageNumber >= first && pageNumber <= last}
                downloadHref={downloadHref}
              >
                {renderLayer?.(pageNumber)}
              </PdfPage>
            ))}
          </div>
        )}
      </section>
      {state.status === "loading" ? (
        <span className={styles.hidden} role="status">
          Chargement du document
        </span>
      ) : null}
    </section>
  );
}

/** Goes to the page shown first, once the pages stand. */
function useStartPage(isStanding: boolean, go: () => unknown): void {
  const start = useEffectEvent(go);
  useEffect(() => {
    if (isStanding) start();
  }, [isStanding]);
}

function DocumentError({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <div className={styles.error} role="alert">
      <p>{text}</p>
      <button type="button" className={styles.retry} onClick={onRetry}>
        Réessayer
      </button>
    </div>
  );
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

function middleOf(scroller: HTMLElement | null, pageNumber: number): { pageNumber: number; x: number; y: number } {
  const page = scroller?.querySelector<HTMLElement>(`[${PAGE_ATTRIBUTE}="${pageNumber}"]`);
  if (!scroller || !page) return { pageNumber, x: 0.5, y: 0.5 };
  return { pageNumber, ...middleInSight(page.getBoundingClientRect(), scroller.getBoundingClientRect()) };
}

function pageForKey(key: string, current: number, count: number): number | null {
  if (key === "PageDown") return Math.min(count, current + 1);
  if (key === "PageUp") return Math.max(1, current - 1);
  if (key === "Home") return 1;
  if (key === "End") return count;
  return null;
}
