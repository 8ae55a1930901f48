import type { FieldErrors } from "react-hook-form";
import { Alert } from "../../../ui/alert/alert.tsx";
import type { ProfileValues } from "../profile-fields.tsx";
import { profileFieldId } from "./profile-form.ts";

/** Every error of the form, each a link to its field; the focus is on the first of those fields already. */
export function ErrorSummary({ errors }: { readonly errors: FieldErrors<ProfileValues> }) {
  const entries = Object.entries(errors) as [keyof ProfileValues, { message?: string }][];
  if (entries.length === 0) return null;
  return (
    <Alert tone="danger" title="Erreurs de validation">
      <ul>
        {entries.map(([field, error]) => (
          <li key={field}>
            <a
              href={`#${profileFieldId(field)}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(profileFieldId(field))?.focus();
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
