import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { GLOSSARY } from "./glossary-words.ts";
import styles from "./glossary.module.css";

/** « Les mots de cette page », over the page that uses them. */
export function GlossaryDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Les mots de cette page" size="lg" onClose={onClose}>
      <dl className={styles["words"]}>
        {GLOSSARY.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
