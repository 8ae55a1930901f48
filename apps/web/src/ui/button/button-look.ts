import { classNames } from "../../lib/class-names.ts";
import styles from "./button.module.css";

export type ButtonLook = {
  readonly variant?: "primary" | "secondary" | "ghost" | "danger" | "dangerGhost" | undefined;
  readonly size?: "sm" | "md" | "lg" | undefined;
  /** A square button that holds an icon alone: it needs an `aria-label`. */
  readonly square?: boolean | undefined;
  readonly block?: boolean | undefined;
  readonly className?: string | undefined;
};

/** Gives the class names of a button's look, for a button or for a link that looks like one. */
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
