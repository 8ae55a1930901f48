import type { ReactNode } from "react";
import styles from "./data-table.module.css";

/** The small buttons at the end of a row. */
export function RowActions({ children }: { readonly children: ReactNode }) {
  return <span className={styles["actions"]}>{children}</span>;
}
