import type { ComponentProps, ReactNode } from "react";
import styles from "./checkbox.module.css";

/** One choice of a group: put several in a `fieldset` with a `legend`, with the same `name`. */
export function Radio({ label, ...rest }: Omit<ComponentProps<"input">, "type"> & { readonly label: ReactNode }) {
  return (
    <label className={styles["check"]}>
      <input {...rest} type="radio" />
      <span>{label}</span>
    </label>
  );
}
