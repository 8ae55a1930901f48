import { cloneElement, useId, useState, type KeyboardEvent, type ReactElement } from "react";
import { classNames } from "../../lib/class-names.ts";
import styles from "./tooltip.module.css";

type Props = {
  /** Undefined: no tooltip, and the child keeps the focus. */
  readonly text: string | undefined;
  readonly align?: "start" | "end";
  /** Focusable. */
  readonly children: ReactElement<{ "aria-describedby"?: string | undefined }>;
};

const EDGE_PX = 8;

/** Moves the tooltip sideways where its child stands near an edge of the window. */
function bringIntoSight(tooltip: HTMLElement | null): void {
  if (tooltip === null) return;
  tooltip.style.translate = "none";
  const { left, right } = tooltip.getBoundingClientRect();
  const beyond = Math.max(0, right - document.documentElement.clientWidth + EDGE_PX);
  const shift = left - beyond < EDGE_PX ? EDGE_PX - left : -beyond;
  tooltip.style.translate = `${shift}px`;
}

/** Shown on hover and focus; Escape dismisses it, and the pointer may enter it (WCAG 1.4.13). */
export function Tooltip({ text, align = "end", children }: Props) {
  const id = useId();
  const [isOn, setShown] = useState(false);
  const shown = isOn && text !== undefined;
  const dismiss = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !shown) return;
    event.stopPropagation();
    setShown(false);
  };
  return (
    <span
      role="presentation"
      className={styles["host"]}
      onMouseEnter={() => setShown(true)}
      onMouseLeave={() => setShown(false)}
      onFocus={() => setShown(true)}
      onBlur={() => setShown(false)}
      onKeyDown={dismiss}
    >
      {cloneElement(children, { "aria-describedby": shown ? id : undefined })}
      {shown && (
        <span
          // Measured at each render: the button it explains may have changed its width.
          ref={(tooltip) => bringIntoSight(tooltip)}
          className={classNames(styles["tooltip"], align === "start" && styles["start"])}
          role="tooltip"
          id={id}
        >
          {text}
        </span>
      )}
    </span>
  );
}
