import { type FocusEvent, type MouseEvent, useState } from "react";

type Props<E extends Element> = {
  readonly disabled?: boolean | undefined;
  readonly "aria-disabled"?: boolean | "true" | "false" | undefined;
  readonly onFocus?: ((event: FocusEvent<E>) => void) | undefined;
  readonly onBlur?: ((event: FocusEvent<E>) => void) | undefined;
  readonly onClick?: ((event: MouseEvent<E>) => void) | undefined;
};

/** `disabled` would drop the focus (WCAG 2.4.3): `aria-disabled` while the control has it. */
export function useFocusableDisabled<E extends Element>({
  disabled = false,
  onFocus,
  onBlur,
  onClick,
  ...rest
}: Props<E>) {
  const [isHeld, setIsHeld] = useState(false);
  return {
    disabled: disabled && !isHeld,
    "aria-disabled": (disabled && isHeld) || rest["aria-disabled"] || undefined,
    onFocus: (event: FocusEvent<E>) => {
      setIsHeld(true);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<E>) => {
      setIsHeld(false);
      onBlur?.(event);
    },
    onClick: (event: MouseEvent<E>) => {
      if (disabled) event.preventDefault();
      else onClick?.(event);
    },
  };
}
