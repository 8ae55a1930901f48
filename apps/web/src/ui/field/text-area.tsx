import type { ComponentProps } from "react";
import { Field, type FieldProps } from "./field.tsx";

type Props = Omit<ComponentProps<"textarea">, "size" | "id" | "required"> & FieldProps;

/** Several lines of text. */
export function TextArea({ label, error, help, required, optional, hideLabel, size, id, ...rest }: Props) {
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>{(control) => <textarea {...rest} {...control} />}</Field>
  );
}
