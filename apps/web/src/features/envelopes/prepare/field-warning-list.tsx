import type { Document, EnvelopeWarning } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { coveredPlaces } from "./covered-places.ts";
import type { Draft, DraftField } from "./draft.ts";
import { type FieldWarning, fieldWarnings } from "./field-warnings.ts";
import styles from "./fields-step.module.css";

type FieldWarningListProps = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  /** What the service found of the files' own forms. */
  readonly covered: readonly EnvelopeWarning[] | undefined;
  readonly onShow: (field: DraftField) => void;
  readonly onAddFor: (recipientKey: string) => void;
};

/** Warnings flicker while a field is on its way: they wait until it stays. */
const WAIT_MS = 300;

/** What to look at again, each with the way to put it right. */
export function FieldWarningList({ draft, documents, covered, onShow, onAddFor }: FieldWarningListProps) {
  const [warnings, setWarnings] = useState(() => allWarnings({ draft, documents, covered }));
  useEffect(() => {
    const timer = setTimeout(() => setWarnings(allWarnings({ draft, documents, covered })), WAIT_MS);
    return () => clearTimeout(timer);
  }, [draft, documents, covered]);
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="À vérifier">
      {warnings.map((warning) => (
        <li key={warning.text}>
          {warning.text}{" "}
          {warning.kind === "overlap" ? (
            <LinkAction aria-label={`Voir\u00a0: ${warning.text}`} onClick={() => onShow(warning.field)}>
              Voir
            </LinkAction>
          ) : (
            <LinkAction aria-label={`Ajouter\u00a0: ${warning.text}`} onClick={() => onAddFor(warning.recipientKey)}>
              Ajouter
            </LinkAction>
          )}
        </li>
      ))}
    </ul>
  );
}

function allWarnings({
  draft,
  documents,
  covered,
}: Pick<FieldWarningListProps, "draft" | "documents" | "covered">): readonly FieldWarning[] {
  const places = coveredPlaces(draft, documents, covered).map(({ text, field }) => ({ kind: "overlap", text, field }) as const);
  return [...fieldWarnings(draft, documents), ...places];
}
