import type { ComponentProps } from "react";
import { Field, type FieldProps } from "./field.tsx";

type Props = Omit<ComponentProps<"select">, "size" | "id" | "required"> & FieldProps;

/** A choice in a short list, with the browser's own menu. */
export function SelectField({ label, error, help, required, optional, hideLabel, size, id, ...rest }: Props) {
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>{(control) => <select {...rest} {...control} />}</Field>
  );
}
