import type { TextBlock } from "../../pdf/text-blocks.ts";
import { inReadingOrder } from "../../pdf/reading-order.ts";
import type { SigningField } from "./field-walk.ts";
import { ReadingField } from "./reading-field.tsx";
import styles from "./reading-view.module.css";
import type { Desk } from "./use-desk.ts";

/** The text of a document's pages; null for one that is still to be read. */
export type PageTexts = readonly (readonly TextBlock[] | null)[];
type ReadingTextProps = {
  readonly pages: PageTexts;
  /** The fields of this document, everybody's. */
  readonly fields: readonly SigningField[];
  readonly desk: Desk;
  readonly onActivate: (id: string) => void;
};

/** The document as text: a heading for each page, its paragraphs, and each field where it stands among them. */
export function ReadingText({ pages, fields, desk, onActivate }: ReadingTextProps) {
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
            <ReadingField key={part.id} field={part} desk={desk} onActivate={onActivate} />
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

/** Puts each field after the last part that begins above its middle. */
function interleaved(blocks: readonly TextBlock[], fields: readonly SigningField[]): readonly (TextBlock | SigningField)[] {
  const placed = fields.map((field) => ({ field, after: blocks.findLastIndex((block) => block.y <= field.y + field.height / 2) }));
  const at = (index: number) => placed.filter(({ after }) => after === index).map(({ field }) => field);
  return [...at(-1), ...blocks.flatMap((block, index) => [block, ...at(index)])];
}
