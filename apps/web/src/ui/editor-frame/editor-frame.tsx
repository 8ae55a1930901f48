import { type ReactNode, type Ref, type RefCallback, useCallback } from "react";
import { classNames } from "../../lib/class-names.ts";
import styles from "./editor-frame.module.css";

type DockProps = {
  /** `window`: at the foot of a small screen; `editor`: of a full-height editor. */
  readonly place: "window" | "editor";
  readonly className?: string | undefined;
  readonly children: ReactNode;
};

export function BottomDock({ place, className, children }: DockProps) {
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

type SideProps = {
  readonly label: string;
  readonly edge: "start" | "end";
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLElement> | undefined;
};

export function SidePanel({ label, edge, children, ref }: SideProps) {
  return (
    <aside className={styles["side"]} data-edge={edge} aria-label={label} ref={ref}>
      {children}
    </aside>
  );
}

export const useBottomDock = () => useHeightIn("--dock-h");

export function useHeightIn(property: "--dock-h" | "--offline-h"): RefCallback<HTMLElement> {
  return useCallback(
    (measured: HTMLElement | null) => {
      if (!measured) return undefined;
      const { style } = document.documentElement;
      const set = () => {
        style.setProperty(property, `${Math.round(measured.getBoundingClientRect().height)}px`);
      };
      const observer = new ResizeObserver(set);
      observer.observe(measured);
      set();
      return () => {
        observer.disconnect();
        style.removeProperty(property);
      };
    },
    [property],
  );
}
