import { useEffect, useRef } from "react";
import type { OpenedPdf } from "./open-pdf.ts";
import type { PageSize } from "./page-layout.ts";
import styles from "./page-thumbs.module.css";

type PageThumbsProps = {
  readonly pdf: OpenedPdf | null;
  readonly pages: readonly PageSize[];
  readonly current: number;
  readonly onGo: (pageNumber: number) => void;
};

/** Three hundred would cost more than the document. */
const MOST_THUMBS = 8;
const WIDTH_PX = 72;

export function PageThumbs({ pdf, pages, current, onGo }: PageThumbsProps) {
  return (
    <ol className={styles.thumbs}>
      {thumbsAround(current, pages.length).map((pageNumber) => (
        <li key={pageNumber}>
          <button
            type="button"
            className={styles.thumb}
            aria-label={`Aller à la page ${pageNumber}`}
            aria-current={pageNumber === current ? "true" : undefined}
            onClick={() => onGo(pageNumber)}
          >
            <Thumb
              pdf={pdf}
              pageNumber={pageNumber}
              size={pages[pageNumber - 1] ?? { width: 595, height: 842 }}
            />
            <span data-number={pageNumber} />
          </button>
        </li>
      ))}
    </ol>
  );
}

/** All of a short document, else those around the page in sight. */
export function thumbsAround(current: number, count: number): readonly number[] {
  const shown = Math.min(count, MOST_THUMBS);
  const first = Math.min(Math.max(1, current - Math.floor((shown - 1) / 2)), count - shown + 1);
  return Array.from({ length: shown }, (_, index) => first + index);
}

function Thumb({
  pdf,
  pageNumber,
  size,
}: {
  pdf: OpenedPdf | null;
  pageNumber: number;
  size: PageSize;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const target = canvas.current;
    if (!pdf || !target) return;
    let work: ReturnType<OpenedPdf["drawPage"]> | null = null;
    // The pages come first, and a page scrolled past draws no thumbnail.
    const timer = setTimeout(() => {
      work = pdf.drawPage({ pageNumber, canvas: target, scale: (WIDTH_PX * 2) / size.width });
      // The page's own frame reports the error.
      work.done.catch(() => undefined);
    }, 400);
    return () => {
      clearTimeout(timer);
      work?.cancel();
    };
  }, [pdf, pageNumber, size.width]);
  return (
    <canvas
      ref={canvas}
      className={styles.sheet}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      aria-hidden="true"
    />
  );
}
