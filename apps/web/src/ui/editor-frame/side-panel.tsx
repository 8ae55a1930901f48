import type { ReactNode, Ref } from "react";
import styles from "./editor-frame.module.css";

/** The name of a block beside the pages, or of a list in a form. */
export function SideHeading({
  id,
  children,
}: {
  readonly id?: string;
  readonly children: ReactNode;
}) {
  return (
    <h2 className={styles["heading"]} id={id}>
      {children}
    </h2>
  );
}

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
