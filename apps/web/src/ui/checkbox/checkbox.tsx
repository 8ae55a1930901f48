import type { ComponentProps, ReactNode } from "react";
import { useFocusableDisabled } from "../focus/use-focusable-disabled.ts";
import styles from "./checkbox.module.css";

export function Checkbox({
  label,
  ...rest
}: Omit<ComponentProps<"input">, "type"> & { readonly label: ReactNode }) {
  const held = useFocusableDisabled(rest);
  return (
    <label className={styles["check"]}>
      {/* React reports a refused press too. */}
      <input
        {...rest}
        {...held}
        onChange={(event) => !rest.disabled && rest.onChange?.(event)}
        type="checkbox"
      />
      <span>{label}</span>
    </label>
  );
}

/** Group several in a `fieldset`, with the same `name`. */
export function Radio({
  label,
  ...rest
}: Omit<ComponentProps<"input">, "type"> & { readonly label: ReactNode }) {
  return (
    <label className={styles["check"]}>
      <input {...rest} type="radio" />
      <span>{label}</span>
    </label>
  );
}
