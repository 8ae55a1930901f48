import type { ComponentProps, ReactNode } from "react";
import { useHeldDisabled } from "../focus/use-held-disabled.ts";
import styles from "./checkbox.module.css";

/** A box to tick, its text beside it. */
export function Checkbox({
  label,
  ...rest
}: Omit<ComponentProps<"input">, "type"> & { readonly label: ReactNode }) {
  const held = useHeldDisabled(rest);
  return (
    <label className={styles["check"]}>
      {/* A refused press has changed the box for an instant, and React tells so all the same. */}
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

/** One choice of a group: put several in a `fieldset` with a `legend`, with the same `name`. */
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
