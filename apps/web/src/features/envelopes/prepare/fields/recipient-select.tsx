import { SelectField } from "../../../../ui/field/field.tsx";
import type { DraftRecipient } from "../draft/draft.ts";

type RecipientSelectProps = {
  readonly people: readonly DraftRecipient[];
  readonly value: string;
  readonly onChange: (key: string) => void;
  readonly look: "full" | "compact";
};

export function RecipientSelect({ people, value, onChange, look }: RecipientSelectProps) {
  const size = look === "compact" ? "sm" : "md";
  return (
    <SelectField
      label="Champs pour"
      hideLabel={look === "compact"}
      size={size}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {people.map((row) => (
        <option key={row.key} value={row.key}>
          {row.fullName || row.email}
        </option>
      ))}
    </SelectField>
  );
}
