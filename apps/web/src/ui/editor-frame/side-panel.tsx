import type { ReactNode, Ref } from "react";
import styles from "./editor-frame.module.css";

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
  readonly edge: "start" | "end";
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement> | undefined;
};

export function SidePanel({ label, edge, children, ref }: Props) {
  return (
    <aside className={styles["side"]} data-edge={edge} aria-label={label} ref={ref}>
      {children}
    </aside>
  );
}
