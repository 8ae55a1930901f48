import { useState } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { comparisonSentence } from "./comparison-sentence.ts";
import styles from "./correction.module.css";
import { type AskComparison, type Comparison, useComparison } from "./use-comparison.ts";

const DifferencesDialog = lazyDialog(async () => (await import("./differences-dialog.tsx")).DifferencesDialog);

type CopyConsentProps = {
  /** The same function for the same file: another one is compared anew. Null once the copy was accepted for good. */
  readonly ask: AskComparison | null;
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (accepts: boolean) => void;
};

/** The leave that a corrected copy waits for: asked once it was compared with the original, and what differs was shown. */
export function CopyConsent({ ask, label, checked, onChange }: CopyConsentProps) {
  const { comparison, goOn } = useComparison(ask);
  const [isOpen, setIsOpen] = useState(false);
  /** Those that were shown last: what differs after them, or in another file, is still to be seen. */
  const [seen, setSeen] = useState<Comparison["differences"]>([]);
  const { state, differences } = comparison;
  const isCompared = state === "done" || state === "paused";
  const open = () => {
    setIsOpen(true);
    setSeen(differences);
  };
  return (
    <div className={styles["consent"]}>
      {ask === null ? null : <p role="status">{comparisonSentence(comparison)}</p>}
      {ask !== null && differences.length > 0 ? (
        <Button size="sm" onClick={open}>
          <Icon name="eye" size="sm" />
          Comparer les pages
        </Button>
      ) : null}
      {state === "failed" || state === "paused" ? (
        <Button size="sm" onClick={goOn}>
          {state === "failed" ? "Réessayer" : "Comparer la suite"}
        </Button>
      ) : null}
      <Checkbox
        label={label}
        checked={checked}
        disabled={ask === null || !isCompared || (differences.length > 0 && seen !== differences)}
        onChange={(event) => onChange(event.target.checked)}
      />
      {isOpen ? <DifferencesDialog differences={differences} onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}
