import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { useBottomDock } from "../../lib/use-bottom-dock.ts";
import styles from "./editor-frame.module.css";

type Props = {
  /** `window`: at the foot of the window, on small screens alone; `editor`: the last row of an editor as high as the window. */
  readonly place: "window" | "editor";
  readonly className?: string | undefined;
  readonly children: ReactNode;
};

/** The buttons of a small screen, where a thumb reaches them. */
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

/** The buttons of a dock, side by side. */
export function DockRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles["dockRow"]}>{children}</div>;
}
