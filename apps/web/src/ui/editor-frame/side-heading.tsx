import type { ReactNode } from "react";
import styles from "./editor-frame.module.css";

/** The name of a block beside the pages, or of a list in a form. */
export function SideHeading({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  return (
    <h2 className={styles["heading"]} id={id}>
      {children}
    </h2>
  );
}
