import { type ReactNode, useEffect, useRef, useState } from "react";
import type { OpenedPdf } from "./open-pdf.ts";
import { PAGE_ATTRIBUTE, type PageLayout, canvasRatio } from "./page-layout.ts";
import styles from "./pdf-page.module.css";

type PdfPageProps = {
  readonly pdf: OpenedPdf | null;
  readonly pageNumber: number;
  readonly pageCount: number;
  readonly layout: PageLayout;
  /** CSS pixels in the column. */
  readonly at: { readonly top: number; readonly left: number };
  /** In sight or next to it: only then it is drawn. */
  readonly drawn: boolean;
  /** Shown until the page is drawn. */
  readonly picture?: string | undefined;
  readonly downloadHref?: string | undefined;
  readonly children?: ReactNode;
};

/** A white sheet at once; picture and words near the eye; fields above. */
export function PdfPage({
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
    drawn && picture === undefined ? <span className={styles.skeleton} aria-hidden="true" /> : null;
  return (
    <div
      className={`sheet ${styles.sheet}`}
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
        <img src={picture} alt="" className={styles.picture} />
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
        className={styles.canvas}
        aria-hidden="true"
        hidden={state === "failed"}
      />
      <div ref={text} className={styles.text} data-pdf-text="" />
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
      // Drawn aside: the page never blinks white.
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
    <div className={styles.error} role="alert">
      <p>Cette page n’a pas pu être affichée.</p>
      <div className={styles.errorActions}>
        <button type="button" className={styles.errorAction} onClick={onRetry}>
          Réessayer
        </button>
        {downloadHref ? (
          <a className={styles.errorAction} href={downloadHref} download>
            Télécharger le PDF
          </a>
        ) : null}
      </div>
    </div>
  );
}
