import { useState, type ComponentProps } from "react";
import { Icon } from "../icon/icon.tsx";
import { Field, type FieldProps } from "./field.tsx";
import styles from "./field.module.css";

type Props = Omit<ComponentProps<"input">, "size" | "id" | "required" | "type"> &
  FieldProps & {
    /** What the button shows, with its article. */
    readonly secret?: string;
  };

/** Pasting and password managers work (WCAG 2.2, 3.3.8). */
export function PasswordField({
  label,
  error,
  help,
  required,
  optional,
  hideLabel,
  size,
  id,
  secret = "le mot de passe",
  ...rest
}: Props) {
  const [shown, setShown] = useState(false);
  return (
    <Field {...{ label, error, help, required, optional, hideLabel, size, id }}>
      {(control) => (
        <div className={styles["affix"]}>
          <input
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            {...rest}
            {...control}
            type={shown ? "text" : "password"}
          />
          <button
            type="button"
            aria-label={`${shown ? "Masquer" : "Afficher"} ${secret}`}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            <Icon name={shown ? "eye-off" : "eye"} />
          </button>
        </div>
      )}
    </Field>
  );
}
