import { classNames } from "../../lib/class-names.ts";
import styles from "./button.module.css";

export type ButtonLook = {
  readonly variant?: "primary" | "secondary" | "ghost" | "danger" | "dangerGhost" | undefined;
  readonly size?: "sm" | "md" | "lg" | undefined;
  /** Holds an icon alone: needs an `aria-label`. */
  readonly square?: boolean | undefined;
  readonly block?: boolean | undefined;
  readonly className?: string | undefined;
};

/** Class names of a button, also for links. */
export function buttonLook({
  variant = "secondary",
  size = "md",
  square,
  block,
  className,
}: ButtonLook): string {
  return classNames(
    styles["button"],
    styles[variant],
    styles[size],
    square && styles["icon"],
    block && styles["block"],
    className,
  );
}
