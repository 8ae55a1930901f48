import { isTickBox, fillsItself } from "@paraphe/contracts";
import { type ReactNode, useEffect, useState } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import { inReadingOrder } from "../../../pdf/fields/layer-field.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import type { TextBlock } from "../../../pdf/text-blocks.ts";
import { type PdfSource, usePdf } from "../../../pdf/use-pdf.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { describeField } from "./layer-fields.tsx";
import { type SigningField, fieldTitle, isFilled } from "./field-walk.ts";
import styles from "./reading-view.module.css";
import type { Desk } from "./use-desk.ts";

type ReadingFieldProps = {
  readonly field: SigningField;
  readonly desk: Desk;
  readonly currentId: string | null;
  readonly onActivate: (id: string) => void;
};

function ReadingField({ field, desk, currentId, onActivate }: ReadingFieldProps) {
  const words = describeField(field, desk);
  if (!field.own || fillsItself(field)) {
    return (
      <p className={styles.other} data-field={field.id} tabIndex={field.own ? -1 : undefined}>
        {words}
      </p>
    );
  }
  const isDone = isFilled(field, desk.answers);
  const unfilled = desk.optional.includes(field) ? "optional" : "todo";
  const state = desk.errors[field.id] ? "wrong" : isDone ? "done" : unfilled;
  const look = {
    type: "button",
    className: styles.field,
    "data-state": state,
    "aria-current": field.id === currentId ? ("true" as const) : undefined,
    onClick: () => onActivate(field.id),
  } as const;
  return (
    <div data-field={field.id}>
      {isTickBox(field) ? (
        <button
          {...look}
          role="checkbox"
          aria-checked={isDone}
          aria-required={field.required || undefined}
        >
          <Icon name={isDone ? "checkbox" : "checkbox-empty"} />
          <span>{desk.errors[field.id] ?? `${fieldTitle(field)}, page ${field.page}`}</span>
        </button>
      ) : (
        <button {...look}>
          <Icon name={state === "wrong" ? "alert" : isDone ? "check-circle" : "pen"} />
          <span>{words}</span>
        </button>
      )}
    </div>
  );
}

type PageTexts = readonly (readonly TextBlock[] | null)[];
type ReadingTextProps = {
  readonly pages: PageTexts;
  readonly fields: readonly SigningField[];
  readonly desk: Desk;
  readonly currentId: string | null;
  readonly onActivate: (id: string) => void;
};

export function ReadingText({ pages, fields, ...field }: ReadingTextProps) {
  return pages.map((blocks, index) => {
    const pageNumber = index + 1;
    const own = inReadingOrder(fields.filter((field) => field.page === pageNumber));
    return (
      <section key={pageNumber} className={styles.page} aria-labelledby={`lecture-${pageNumber}`}>
        <h2 id={`lecture-${pageNumber}`} className={styles.number}>
          {`Page ${pageNumber}`}
        </h2>
        {blocks?.length === 0 ? <p className="muted">{NO_TEXT}</p> : null}
        {interleaved(blocks ?? [], own).map((part) =>
          "own" in part ? (
            <ReadingField key={part.id} field={part} {...field} />
          ) : (
            <Block key={`${part.y} ${part.text}`} block={part} />
          ),
        )}
      </section>
    );
  });
}

const NO_TEXT =
  "Cette page n’a pas de texte lisible\u00a0: elle est vide, ou c’est une image. Demandez un document lisible à l’expéditeur, ou faites-vous lire la page par un proche.";

function Block({ block }: { block: TextBlock }) {
  if (block.kind === "heading") return <h3 className={styles.heading}>{block.text}</h3>;
  if (block.kind === "item") return <p className={styles.item}>{`• ${block.text}`}</p>;
  return <p>{block.text}</p>;
}

/** A field follows the last block that begins above its middle. */
function interleaved(
  blocks: readonly TextBlock[],
  fields: readonly SigningField[],
): readonly (TextBlock | SigningField)[] {
  const placed = fields.map((field) => ({
    field,
    after: blocks.findLastIndex((block) => block.y <= field.y + field.height / 2),
  }));
  const at = (index: number) =>
    placed.filter(({ after }) => after === index).map(({ field }) => field);
  return [...at(-1), ...blocks.flatMap((block, index) => [block, ...at(index)])];
}

type ReadingViewProps = {
  readonly source: PdfSource;
  readonly pageCount: number;
  readonly heading: ReactNode;
} & Omit<ReadingTextProps, "pages">;
/** Pages shown at a time, because a long document is slow to read page by page. */
const PAGES_AT_ONCE = 10;

/** The text reflows at any zoom, with headings for screen readers (WCAG 1.4.10). */
export function ReadingView({ source, pageCount, heading, ...text }: ReadingViewProps) {
  const state = usePdf(source);
  const { pages, hasFailed } = usePageTexts(state.status === "ready" ? state.pdf : null, pageCount);
  const read = pages.filter((page) => page !== null).length;
  const isReady = read === pageCount;
  return (
    <article
      className={styles.view}
      aria-label="Texte du document"
      aria-busy={!isReady && !hasFailed}
    >
      <div className={styles.choice}>{heading}</div>
      {state.status === "failed" || hasFailed ? (
        <>
          <Alert tone="danger">Le texte du document n’a pas pu être lu.</Alert>
          {state.status === "failed" ? <Button onClick={state.retry}>Réessayer</Button> : null}
        </>
      ) : null}
      <p className="sr" role="status">
        {isReady
          ? `Texte du document affiché, ${plural(pageCount, "page")}`
          : "Lecture du texte du document"}
      </p>
      <ReadingText pages={pages} {...text} />
    </article>
  );
}

function usePageTexts(
  pdf: OpenedPdf | null,
  pageCount: number,
): { readonly pages: PageTexts; readonly hasFailed: boolean } {
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
        if (!isStopped && (page % PAGES_AT_ONCE === 0 || page === pdf.pageCount))
          setRead([...texts]);
      }
    };
    readAll().catch(() => !isStopped && setHasFailed(true));
    return () => {
      isStopped = true;
    };
  }, [pdf]);
  return { pages: Array.from({ length: pageCount }, (_, index) => read[index] ?? null), hasFailed };
}
