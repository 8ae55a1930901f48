import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { useFocusableDisabled } from "../focus/use-focusable-disabled.ts";
import styles from "./button.module.css";

type Props = ComponentProps<"button"> &
  ButtonLook & {
    /** Shows the spinner and makes the button inert. */
    readonly loading?: boolean;
    readonly loadingLabel?: ReactNode;
    /** Inert but focusable. A submit button still submits, to show errors. */
    readonly blocked?: boolean;
  };

/** Without `type` it submits nothing. */
export function Button({
  variant,
  size,
  square,
  block,
  className,
  loading = false,
  loadingLabel,
  blocked = false,
  children,
  onClick,
  disabled,
  onFocus,
  onBlur,
  ...rest
}: Props) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (loading || (blocked && rest.type !== "submit")) {
      event.preventDefault();
      return;
    }
    onClick?.(event);
  };
  const held = useFocusableDisabled({
    disabled,
    "aria-disabled": loading || blocked || rest["aria-disabled"],
    onFocus,
    onBlur,
    onClick: press,
  });
  return (
    <button
      type="button"
      title={square ? rest["aria-label"] : undefined}
      {...rest}
      {...held}
      className={buttonLook({ variant, size, square, block, className })}
      aria-busy={loading || undefined}
    >
      {loading && <span className={styles["spin"]} aria-hidden="true" />}
      {loading && square ? null : loading ? (loadingLabel ?? children) : children}
    </button>
  );
}

export type ButtonLook = {
  readonly variant?: "primary" | "secondary" | "ghost" | "danger" | "dangerGhost" | undefined;
  readonly size?: "sm" | "md" | "lg" | undefined;
  /** Holds an icon alone: needs an `aria-label`. */
  readonly square?: boolean | undefined;
  readonly block?: boolean | undefined;
  readonly className?: string | undefined;
};

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
