import { type ReactNode, useEffect, useState } from "react";
import { plural } from "../../lib/format-numbers.ts";
import type { OpenedPdf } from "../../pdf/open-pdf.ts";
import { type PdfSource, usePdf } from "../../pdf/use-pdf.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import type { SigningField } from "./field-walk.ts";
import { type PageTexts, ReadingText } from "./reading-text.tsx";
import styles from "./reading-view.module.css";
import type { Desk } from "./use-desk.ts";

type ReadingViewProps = {
  readonly source: PdfSource;
  readonly pageCount: number;
  /** The choice of document, or its name. */
  readonly heading: ReactNode;
  readonly fields: readonly SigningField[];
  readonly desk: Desk;
  readonly onActivate: (id: string) => void;
};
/** Pages are shown so many at a time: a long document is not drawn anew at each of them. */
const PAGES_AT_ONCE = 10;

/** Reading without the picture of the pages: their text flows at any width and any zoom, and a screen reader walks its headings. */
export function ReadingView({ source, pageCount, heading, fields, desk, onActivate }: ReadingViewProps) {
  const state = usePdf(source);
  const { pages, hasFailed } = usePageTexts(state.status === "ready" ? state.pdf : null, pageCount);
  const read = pages.filter((page) => page !== null).length;
  const isReady = read === pageCount;
  return (
    <article className={styles.view} aria-label="Texte du document" aria-busy={!isReady && !hasFailed}>
      <div className={styles.choice}>{heading}</div>
      {state.status === "failed" || hasFailed ? (
        <>
          <Alert tone="danger">Le texte du document n’a pas pu être lu.</Alert>
          {state.status === "failed" ? <Button onClick={state.retry}>Réessayer</Button> : null}
        </>
      ) : null}
      <p className="sr" role="status">
        {isReady ? `Texte du document affiché, ${plural(pageCount, "page")}` : "Lecture du texte du document"}
      </p>
      <ReadingText pages={pages} fields={fields} desk={desk} onActivate={onActivate} />
    </article>
  );
}

function usePageTexts(pdf: OpenedPdf | null, pageCount: number): { readonly pages: PageTexts; readonly hasFailed: boolean } {
  const [read, setRead] = useState<PageTexts>([]);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    setRead([]);
    setHasFailed(false);
    if (!pdf) return undefined;
    let isStopped = false;
    const readAll = async () => {
      const texts = [];
      for (let page = 1; page <= pdf.pageCount && !isStopped; page++) {
        texts.push(await pdf.readText(page));
        if (!isStopped && (page % PAGES_AT_ONCE === 0 || page === pdf.pageCount)) setRead([...texts]);
      }
    };
    readAll().catch(() => !isStopped && setHasFailed(true));
    return () => {
      isStopped = true;
    };
  }, [pdf]);
  return { pages: Array.from({ length: pageCount }, (_, index) => read[index] ?? null), hasFailed };
}
