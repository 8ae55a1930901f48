import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { useBottomDock } from "../../lib/browser/use-bottom-dock.ts";
import styles from "./editor-frame.module.css";

type Props = {
  /** `window`: at the foot of small screens; `editor`: the last row of a full-height editor. */
  readonly place: "window" | "editor";
  readonly className?: string | undefined;
  readonly children: ReactNode;
};

/** Within a thumb's reach. */
export function BottomDock({ place, className, children }: Props) {
  const dock = useBottomDock();
  return (
    <section
      className={classNames(styles["dock"], className)}
      data-place={place}
      aria-label="Actions"
      ref={dock}
    >
      {children}
    </section>
  );
}

export function DockRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles["dockRow"]}>{children}</div>;
}
