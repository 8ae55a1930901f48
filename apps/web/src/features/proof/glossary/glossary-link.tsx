import { useState } from "react";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import styles from "./glossary.module.css";

const GlossaryDialog = lazyDialog(
  async () => (await import("./glossary-dialog.tsx")).GlossaryDialog,
);

export function GlossaryLink() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles["link"]}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        Les mots de cette page
      </button>
      {isOpen ? <GlossaryDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}
