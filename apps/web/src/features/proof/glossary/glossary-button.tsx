import { type ComponentType, useState } from "react";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import styles from "./glossary.module.css";

type Props = { readonly dialog: ComponentType<{ readonly onClose: () => void }> };

/** The page gives the dialog: a page of one file contains it. */
export function GlossaryButton({ dialog: Words }: Props) {
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
      {isOpen && <Words onClose={() => setIsOpen(false)} />}
    </>
  );
}

const GlossaryDialog = lazyDialog(
  async () => (await import("./glossary-dialog.tsx")).GlossaryDialog,
);

export function GlossaryLink() {
  return <GlossaryButton dialog={GlossaryDialog} />;
}
