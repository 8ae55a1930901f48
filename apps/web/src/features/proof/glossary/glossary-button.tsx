import { type ComponentType, useState } from "react";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import styles from "./glossary.module.css";

type Props = { readonly dialog: ComponentType<{ readonly onClose: () => void }> };

/** The page passes the dialog in, because the page that is one file contains it. */
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
