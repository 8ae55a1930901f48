import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { Icon, type IconName } from "../icon/icon.tsx";
import styles from "./tabs.module.css";

type Props<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly tabs: readonly { readonly value: T; readonly label: string; readonly icon?: IconName }[];
  readonly onChange: (value: T) => void;
  readonly children: ReactNode;
  readonly panelClassName?: string | undefined;
};

/** One Tab stop; arrows, Home and End choose (ARIA APG, Tabs). */
export function Tabs<T extends string>({
  label,
  value,
  tabs,
  onChange,
  children,
  panelClassName,
}: Props<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen the tabs scroll.
    list.current
      ?.querySelector("[aria-selected=true]")
      ?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [value]);
  const move = (event: KeyboardEvent) => {
    const index = tabs.findIndex((tab) => tab.value === value);
    const next = nextIndex(event.key, { index, count: tabs.length });
    const chosen = next === undefined ? undefined : tabs[next];
    if (!chosen) return;
    event.preventDefault();
    onChange(chosen.value);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next ?? 0]?.focus();
  };
  return (
    <>
      <div className={styles["tabs"]} role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-panneau` : undefined}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.icon && <Icon name={tab.icon} size="sm" />}
            {tab.label}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panneau`}
        aria-labelledby={`${id}-${value}`}
        className={panelClassName}
      >
        {children}
      </div>
    </>
  );
}

function nextIndex(
  key: string,
  { index, count }: { index: number; count: number },
): number | undefined {
  if (key === "ArrowRight") return (index + 1) % count;
  if (key === "ArrowLeft") return (index - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
