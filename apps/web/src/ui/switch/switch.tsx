import type { ComponentProps, ReactNode } from "react";
import styles from "./switch.module.css";

/** Without `label` it needs an `aria-label` or `aria-labelledby`. */
export function Switch({
  label,
  ...rest
}: Omit<ComponentProps<"input">, "type" | "role"> & { readonly label?: ReactNode }) {
  return (
    <label className={styles["switch"]}>
      <span className={styles["track"]}>
        <input {...rest} type="checkbox" role="switch" />
      </span>
      {label !== undefined && <span>{label}</span>}
    </label>
  );
}
