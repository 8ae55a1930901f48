import { useId, type ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./field.module.css";

export type FieldProps = {
  readonly label: ReactNode;
  readonly error?: string | undefined;
  readonly help?: ReactNode | undefined;
  /** Says it to assistive technology alone; `RequiredNote` says it to everybody, once a form. */
  readonly required?: boolean | undefined;
  /** Adds « (facultatif) »: required is the rule. */
  readonly optional?: boolean | undefined;
  /** Keeps the label for screen readers only. */
  readonly hideLabel?: boolean | undefined;
  readonly size?: "sm" | "md" | undefined;
  readonly id?: string | undefined;
};

/** Worth a second look, without being wrong: nothing is held back. An error takes its place. */
export type FieldWarning = { readonly warning?: ReactNode | undefined };

export type ControlProps = {
  readonly id: string;
  readonly className: string;
  readonly "aria-required": true | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
};

/** A label, a control, its help and its error, tied together. The control is given what ties it. */
export function Field({
  label,
  error,
  help,
  warning,
  required,
  optional,
  hideLabel,
  size,
  id,
  children,
}: FieldProps & FieldWarning & { readonly children: (control: ControlProps) => ReactNode }) {
  const own = useId();
  const controlId = id ?? own;
  const warns = warning !== undefined && error === undefined;
  const described = classNames(
    help !== undefined && `${controlId}-aide`,
    error !== undefined && `${controlId}-erreur`,
    warns && `${controlId}-attention`,
  );
  return (
    <div className={styles["field"]}>
      <label htmlFor={controlId} className={hideLabel ? "sr" : styles["label"]}>
        {label}
        {optional && <span className={styles["optional"]}> (facultatif)</span>}
      </label>
      {children({
        id: controlId,
        className: classNames(styles["input"], size === "sm" && styles["sm"]),
        "aria-required": required || undefined,
        "aria-invalid": error !== undefined || undefined,
        "aria-describedby": described || undefined,
      })}
      {help !== undefined && (
        <p className={styles["help"]} id={`${controlId}-aide`}>
          {help}
        </p>
      )}
      {warns && (
        <p className={styles["warning"]} id={`${controlId}-attention`} role="status">
          <Icon name="warning" />
          {warning}
        </p>
      )}
      {error !== undefined && (
        <p className={styles["error"]} id={`${controlId}-erreur`}>
          <Icon name="alert" />
          {error}
        </p>
      )}
    </div>
  );
}
