import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./field.module.css";

export type FieldProps = {
  readonly label: ReactNode;
  readonly error?: ReactNode;
  readonly help?: ReactNode | undefined;
  /** For assistive technology; `RequiredNote` tells everybody once. */
  readonly required?: boolean | undefined;
  /** Adds « (facultatif) ». */
  readonly optional?: boolean | undefined;
  /** For screen readers only. */
  readonly hideLabel?: boolean | undefined;
  readonly size?: "sm" | "md" | undefined;
  readonly id?: string | undefined;
};

/** A warning does not block; an error replaces it. */
export type FieldWarning = { readonly warning?: ReactNode | undefined };

type ControlProps = {
  readonly id: string;
  readonly className: string;
  readonly "aria-required": true | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
};

/** The control receives the ids of its label, help and error. */
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

const WORDS = {
  all: "Tous les champs sont obligatoires.",
  most: "Les champs sont obligatoires, sauf ceux marqués «\u00a0facultatif\u00a0».",
} as const;

export function RequiredNote({ fields }: { readonly fields: keyof typeof WORDS }) {
  return <p className="muted small">{WORDS[fields]}</p>;
}

type TextFieldProps = Omit<ComponentProps<"input">, "size" | "id" | "required"> &
  FieldProps &
  FieldWarning;

export function TextField({
  label,
  error,
  help,
  warning,
  required,
  optional,
  hideLabel,
  size,
  id,
  ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, error, help, warning, required, optional, hideLabel, size, id }}>
      {(control) => <input {...rest} {...control} />}
    </Field>
  );
}

type SelectFieldProps = Omit<ComponentProps<"select">, "size" | "id" | "required"> & FieldProps;

export function SelectField({
  label,
  error,
  help,
  required,
  optional,
  hideLabel,
  size,
  id,
  ...rest
}: SelectFieldProps) {
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>
      {(control) => <select {...rest} {...control} />}
    </Field>
  );
}

type TextAreaProps = Omit<ComponentProps<"textarea">, "size" | "id" | "required"> & FieldProps;

export function TextArea({
  label,
  error,
  help,
  required,
  optional,
  hideLabel,
  size,
  id,
  ...rest
}: TextAreaProps) {
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>
      {(control) => <textarea {...rest} {...control} />}
    </Field>
  );
}
