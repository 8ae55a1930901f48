import type { ReactNode, Ref } from "react";
import styles from "./editor-frame.module.css";

type Props = {
  readonly label: string;
  /** On which side of the pages it stands. */
  readonly edge: "start" | "end";
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement> | undefined;
};

/** What is settled beside the pages. */
export function SidePanel({ label, edge, children, ref }: Props) {
  return (
    <aside className={styles["side"]} data-edge={edge} aria-label={label} ref={ref}>
      {children}
    </aside>
  );
}
