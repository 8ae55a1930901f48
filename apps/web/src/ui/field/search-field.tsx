import type { ComponentProps } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import { Field, type FieldProps } from "./field.tsx";
import styles from "./field.module.css";

type Props = Omit<ComponentProps<"input">, "size" | "id" | "required" | "type"> & FieldProps;

export function SearchField({
  label,
  error,
  help,
  required,
  optional,
  hideLabel = true,
  size = "sm",
  id,
  ...rest
}: Props) {
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>
      {(control) => (
        <div className={classNames(styles["affix"], styles["lead"])}>
          <Icon name="search" />
          <input type="search" enterKeyHint="search" {...rest} {...control} />
        </div>
      )}
    </Field>
  );
}
