import type { ComponentProps } from "react";
import { Field, type FieldProps, type FieldWarning } from "./field.tsx";

type Props = Omit<ComponentProps<"input">, "size" | "id" | "required"> & FieldProps & FieldWarning;

/** A line of text; takes what react-hook-form's `register` gives. */
export function TextField({ label, error, help, warning, required, optional, hideLabel, size, id, ...rest }: Props) {
  return (
    <Field {...{ label, error, help, warning, required, optional, hideLabel, size, id }}>
      {(control) => <input {...rest} {...control} />}
    </Field>
  );
}
