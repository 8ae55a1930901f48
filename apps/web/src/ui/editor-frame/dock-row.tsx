import type { ReactNode } from "react";
import styles from "./editor-frame.module.css";

/** The buttons of a dock, side by side. */
export function DockRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles["dockRow"]}>{children}</div>;
}
