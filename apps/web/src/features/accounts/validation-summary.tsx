import { useEffect, useRef } from "react";
import type { FieldErrors } from "react-hook-form";
import { Alert } from "../../ui/alert/alert.tsx";
import { REGISTER_DEFAULTS, type RegisterValues } from "./register-form.ts";

type Props = { readonly errors: FieldErrors<RegisterValues>; readonly onGoTo: (field: keyof RegisterValues) => void };

/** Every error of the form, each a link to its field; takes the focus when it appears. */
export function ValidationSummary({ errors, onGoTo }: Props) {
  const alert = useRef<HTMLDivElement>(null);
  // In the order of the form, whatever the order they were found in.
  const fields = Object.keys(REGISTER_DEFAULTS) as (keyof RegisterValues)[];
  const entries = fields.flatMap((field) => (errors[field] ? [[field, errors[field]] as const] : []));
  const shown = entries.length > 0;
  useEffect(() => {
    if (shown) alert.current?.focus();
  }, [shown]);
  if (!shown) return null;
  return (
    <Alert tone="danger" title="Erreurs de validation" ref={alert}>
      <ul>
        {entries.map(([field, error]) => (
          <li key={field}>
            <a
              href={`#inscription-${field}`}
              onClick={(event) => {
                event.preventDefault();
                onGoTo(field);
              }}
            >
              {error.message}
            </a>
          </li>
        ))}
      </ul>
    </Alert>
  );
}
