import {
  type KeyboardEvent,
  type ComponentType,
  type ReactNode,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { type ScrolledPages, middleInSight, useScrolledPages } from "./use-scrolled-pages.ts";
import { SCROLLER_ATTRIBUTE } from "./fields/track-pointer.ts";
import type { OpenedPdf } from "./open-pdf.ts";
import {
  PAGE_ATTRIBUTE,
  type PageLayout,
  type PageSize,
  fitWidthZoom,
  standingPages,
  zoomWithin,
  canvasRatio,
} from "./page-layout.ts";
import { PdfToolbar, type PdfToolbarProps } from "./pdf-toolbar.tsx";
import { type PdfSource, usePdf } from "./use-pdf.ts";
import styles from "./pdf-viewer.module.css";
import pdfPageStyles from "./pdf-page.module.css";

export type PdfViewerHandle = {
  /** Brings a point (fractions of the page) to the middle. */
  goTo(target: { pageNumber: number; y?: number; x?: number; isAtOnce?: boolean }): void;
  currentPage(): number;
  /** Fractions of the page in the middle. */
  middle(): { readonly pageNumber: number; readonly x: number; readonly y: number };
  focus(): void;
  setZoom(zoom: number): void;
};

export type PdfViewerProps = {
  readonly source: PdfSource;
  readonly heading?: ReactNode;
  readonly Bar?: ComponentType<PdfToolbarProps>;
  readonly label: string;
  /** Without sizes, each page has the first one's until it is read. */
  readonly pages?: readonly PageSize[];
  readonly failedText?: string;
  readonly downloadHref?: string;
  /** `fill`: scrolls inside the given height; `embedded`: at most 80 % of the window's. */
  readonly frame?: "fill" | "embedded";
  readonly renderLayer?: (pageNumber: number) => ReactNode;
  /** Pages whose layer is filled; the others leave the DOM far from the eye. */
  readonly layerPages?: readonly number[];
  /** For views elsewhere; null while not open. Must be stable between renderings. */
  readonly onPdf?: (pdf: OpenedPdf | null) => void;
  readonly startPage?: number;
  readonly onPageCount?: (count: number) => void;
  readonly onCurrentPage?: (pageNumber: number) => void;
  readonly ref?: Ref<PdfViewerHandle>;
};

const NO_LAYERS: readonly number[] = [];

export function PdfViewer(props: PdfViewerProps) {
  const {
    source,
    label,
    pages,
    failedText = "Le document n’a pas pu être chargé.",
    startPage = 1,
    Bar = PdfToolbar,
  } = props;
  const { renderLayer, layerPages, downloadHref } = props;
  const state = usePdf(source);
  const pdf = state.status === "ready" ? state.pdf : null;
  const view = useScrolledPages(pages, state);
  const { scroller, zoom, setZoom, layouts, goTo, inSight } = view;
  useReports(props, { pdf, current: inSight.current });
  useStartPage(
    pdf !== null && layouts.length > 0,
    () => startPage > 1 && goTo({ pageNumber: startPage, y: 0 }),
  );
  useHandle(props.ref, view);

  return (
    <section
      className={styles.viewer}
      data-frame={props.frame ?? "fill"}
      aria-label={label}
      aria-busy={state.status === "loading"}
    >
      <Bar
        heading={props.heading}
        zoom={zoom}
        current={inSight.current}
        count={layouts.length}
        onZoom={setZoom}
        onFit={() => setZoom(fitWidthZoom(view.roomPx))}
      />
      <section
        ref={scroller}
        className={styles.pages}
        aria-label={`${label}, pages`}
        tabIndex={0}
        {...{ [SCROLLER_ATTRIBUTE]: "" }}
        onKeyDown={(event) => turnPage(event, view)}
      >
        {state.status === "failed" ? (
          <DocumentError text={failedText} onRetry={state.retry} />
        ) : (
          <StandingPages
            {...{ pdf, view, renderLayer, layerPages, downloadHref }}
            picture={state.picture}
          />
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

function turnPage(event: KeyboardEvent<HTMLElement>, view: ScrolledPages) {
  const target = pageForKey(event.key, view.inSight.current, view.layouts.length);
  if (target === null || event.target !== event.currentTarget) return;
  event.preventDefault();
  view.goTo({ pageNumber: target, y: 0 });
}

type StandingPagesProps = {
  readonly [Name in "renderLayer" | "layerPages" | "downloadHref"]:
    | PdfViewerProps[Name]
    | undefined;
} & {
  readonly pdf: OpenedPdf | null;
  readonly view: ScrolledPages;
  readonly picture: string | undefined;
};

function StandingPages({
  pdf,
  view,
  picture,
  renderLayer,
  layerPages,
  downloadHref,
}: StandingPagesProps) {
  const { layouts, column } = view;
  const { first, last } = view.inSight;
  const filled = renderLayer ? (layerPages ?? "all") : NO_LAYERS;
  const standing = standingPages({ first, last }, { count: layouts.length, filled });
  // The waiting sheet has its final size while no page has one.
  if (layouts.length === 0) return <div ref={view.stack} className={`sheet ${styles.waiting}`} />;
  return (
    <div
      ref={view.stack}
      className={styles.stack}
      style={{ width: column.widthPx, height: column.heightPx }}
    >
      {standing.map((pageNumber) => (
        <PdfPage
          key={pageNumber}
          pdf={pdf}
          pageNumber={pageNumber}
          pageCount={layouts.length}
          layout={layouts[pageNumber - 1] as PageLayout}
          at={{ top: column.tops[pageNumber - 1] ?? 0, left: column.lefts[pageNumber - 1] ?? 0 }}
          drawn={pageNumber >= first && pageNumber <= last}
          picture={pageNumber === 1 ? picture : undefined}
          downloadHref={downloadHref}
        >
          {renderLayer?.(pageNumber)}
        </PdfPage>
      ))}
    </div>
  );
}

function useReports(
  { onPdf, onPageCount, onCurrentPage }: PdfViewerProps,
  { pdf, current }: { readonly pdf: OpenedPdf | null; readonly current: number },
): void {
  useEffect(() => {
    if (pdf) onPageCount?.(pdf.pageCount);
  }, [pdf, onPageCount]);
  useEffect(() => onPdf?.(pdf), [pdf, onPdf]);
  useEffect(() => onCurrentPage?.(current), [current, onCurrentPage]);
}

function useHandle(ref: Ref<PdfViewerHandle> | undefined, view: ScrolledPages): void {
  const { goTo, scroller, setZoom } = view;
  const { current } = view.inSight;
  useImperativeHandle(ref, () => ({
    goTo,
    currentPage: () => current,
    middle: () => middleOf(scroller.current, current),
    focus: () => scroller.current?.focus({ preventScroll: true }),
    setZoom: (value) => setZoom(zoomWithin(value)),
  }));
}

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

function middleOf(
  scroller: HTMLElement | null,
  pageNumber: number,
): { pageNumber: number; x: number; y: number } {
  const page = scroller?.querySelector<HTMLElement>(`[${PAGE_ATTRIBUTE}="${pageNumber}"]`);
  if (!scroller || !page) return { pageNumber, x: 0.5, y: 0.5 };
  return {
    pageNumber,
    ...middleInSight(page.getBoundingClientRect(), scroller.getBoundingClientRect()),
  };
}

function pageForKey(key: string, current: number, count: number): number | null {
  if (key === "PageDown") return Math.min(count, current + 1);
  if (key === "PageUp") return Math.max(1, current - 1);
  if (key === "Home") return 1;
  if (key === "End") return count;
  return null;
}

type PdfPageProps = {
  readonly pdf: OpenedPdf | null;
  readonly pageNumber: number;
  readonly pageCount: number;
  readonly layout: PageLayout;
  /** CSS pixels in the column. */
  readonly at: { readonly top: number; readonly left: number };
  /** True in sight or next to it: only then the page is drawn. */
  readonly drawn: boolean;
  readonly picture?: string | undefined;
  readonly downloadHref?: string | undefined;
  readonly children?: ReactNode;
};

/** A white sheet at once; picture and words when near; fields above. */
function PdfPage({
  pdf,
  pageNumber,
  pageCount,
  layout,
  at,
  drawn,
  picture,
  downloadHref,
  children,
}: PdfPageProps) {
  const waiting =
    drawn && picture === undefined ? (
      <span className={pdfPageStyles.skeleton} aria-hidden="true" />
    ) : null;
  return (
    <div
      className={`sheet ${pdfPageStyles.sheet}`}
      style={
        {
          ...at,
          width: layout.widthPx,
          height: layout.heightPx,
          "--total-scale-factor": layout.scale,
        } as React.CSSProperties
      }
      role="group"
      aria-label={`Page ${pageNumber} sur ${pageCount}`}
      {...{ [PAGE_ATTRIBUTE]: pageNumber }}
    >
      {drawn && picture !== undefined ? (
        <img src={picture} alt="" className={pdfPageStyles.picture} />
      ) : null}
      {pdf && drawn ? (
        <PagePicture {...{ pdf, pageNumber, layout, waiting, downloadHref }} />
      ) : (
        waiting
      )}
      {children}
    </div>
  );
}

type PagePictureProps = Pick<PdfPageProps, "pageNumber" | "layout" | "downloadHref"> & {
  readonly pdf: OpenedPdf;
  readonly waiting: ReactNode;
};

function PagePicture({ pdf, pageNumber, layout, waiting, downloadHref }: PagePictureProps) {
  const text = useRef<HTMLDivElement>(null);
  const scale = layout.scale * canvasRatio(layout, window.devicePixelRatio);
  const { canvas, state, retry } = useDrawing({ pdf, pageNumber, scale });
  useEffect(() => {
    const container = text.current;
    if (!container) return;
    const work = pdf.writeText({ pageNumber, container });
    work.done.catch(() => container.replaceChildren());
    return () => work.cancel();
  }, [pdf, pageNumber]);
  return (
    <>
      <canvas
        ref={canvas}
        className={pdfPageStyles.canvas}
        aria-hidden="true"
        hidden={state === "failed"}
      />
      <div ref={text} className={pdfPageStyles.text} data-pdf-text="" />
      {state === "drawing" ? waiting : null}
      {state === "failed" ? <PageError onRetry={retry} downloadHref={downloadHref} /> : null}
    </>
  );
}

/** `scale`: canvas pixels a point. */
function useDrawing({
  pdf,
  pageNumber,
  scale,
}: {
  pdf: OpenedPdf;
  pageNumber: number;
  scale: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<"drawing" | "drawn" | "failed">("drawing");
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    let work: ReturnType<OpenedPdf["drawPage"]> | null = null;
    let stopped = false;
    // CSS zooms at once; the finer drawing waits for the fingers to stop.
    const timer = setTimeout(() => {
      // Drawn on another canvas, so that the page never blinks white.
      const aside = document.createElement("canvas");
      work = pdf.drawPage({ pageNumber, canvas: aside, scale });
      work.done.then(
        () => {
          if (stopped) return;
          target.width = aside.width;
          target.height = aside.height;
          target.getContext("2d")?.drawImage(aside, 0, 0);
          setState("drawn");
        },
        () => {
          if (!stopped) setState("failed");
        },
      );
    }, 60);
    return () => {
      stopped = true;
      clearTimeout(timer);
      work?.cancel();
    };
  }, [pdf, pageNumber, scale, attempt]);
  const retry = () => {
    setState("drawing");
    setAttempt((count) => count + 1);
  };
  return { canvas, state, retry };
}

function PageError({
  onRetry,
  downloadHref,
}: {
  onRetry: () => void;
  downloadHref: string | undefined;
}) {
  return (
    <div className={pdfPageStyles.error} role="alert">
      <p>Cette page n’a pas pu être affichée.</p>
      <div className={pdfPageStyles.errorActions}>
        <button type="button" className={pdfPageStyles.errorAction} onClick={onRetry}>
          Réessayer
        </button>
        {downloadHref ? (
          <a className={pdfPageStyles.errorAction} href={downloadHref} download>
            Télécharger le PDF
          </a>
        ) : null}
      </div>
    </div>
  );
}
