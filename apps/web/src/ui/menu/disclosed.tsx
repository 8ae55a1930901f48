import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from "react";
import styles from "./menu.module.css";

type DisclosedProps = {
  readonly triggerClassName: string | undefined;
  /** Names a trigger without text. */
  readonly triggerLabel?: string;
  readonly trigger: ReactNode;
  /** `close` returns the focus to the button. */
  readonly children: (close: () => void) => ReactNode;
};

/** A menu for pages whose budget has no room for `Menu`. */
export function Disclosed({ triggerClassName, triggerLabel, trigger, children }: DisclosedProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => {
    setIsOpen(false);
    button.current?.focus();
  }, []);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setIsOpen(false);
    };
    const onKey = ({ key }: KeyboardEvent) => (key === "Escape" ? close() : undefined);
    const events = ["pointerdown", "focusin"] as const;
    for (const event of events) document.addEventListener(event, leave);
    document.addEventListener("keydown", onKey);
    return () => {
      for (const event of events) document.removeEventListener(event, leave);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen, close]);
  return (
    <div ref={root} className={styles["disclosed"]}>
      <button
        ref={button}
        type="button"
        className={triggerClassName}
        aria-label={triggerLabel}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {trigger}
      </button>
      {isOpen ? (
        <div id={id} className={styles["panel"]}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}
