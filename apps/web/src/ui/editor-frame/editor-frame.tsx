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

/** Sets `--dock-h`, so that messages stay clear of the dock. */
export function useBottomDock(): RefCallback<HTMLElement> {
  return useCallback((dock: HTMLElement | null) => {
    if (!dock) return undefined;
    const root = document.documentElement;
    const tell = () => {
      root.style.setProperty("--dock-h", `${Math.round(dock.getBoundingClientRect().height)}px`);
    };
    const observer = new ResizeObserver(tell);
    observer.observe(dock);
    tell();
    return () => {
      observer.disconnect();
      root.style.removeProperty("--dock-h");
    };
  }, []);
}
