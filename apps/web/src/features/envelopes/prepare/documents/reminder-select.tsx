import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { SelectField } from "../../../../ui/field/field.tsx";
import { NO_REMINDERS } from "../../reached-words.ts";

type ReminderSelectProps = {
  /** Null: none. */
  readonly value: number | null;
  readonly refused?: string | undefined;
  readonly onChange: (days: number | null) => void;
};

const CHOICES = [1, 2, 3, 5, 7, 10, 14, 30] as const;

export function ReminderSelect({ value, refused, onChange }: ReminderSelectProps) {
  const { mail } = useServiceRules();
  // A rhythm set by another client stays until it is changed here.
  const choices =
    value === null ? CHOICES : [...new Set([...CHOICES, value])].sort((one, other) => one - other);
  return (
    <SelectField
      label="Rappel automatique"
      help={
        mail
          ? "Envoyé les jours ouvrés, entre 9\u00a0h et 18\u00a0h, à ceux qui n’ont pas signé."
          : NO_REMINDERS
      }
      value={value ?? ""}
      error={refused}
      onChange={(event) => onChange(event.target.value === "" ? null : Number(event.target.value))}
    >
      <option value="">{remindersWords(null)}</option>
      {choices.map((days) => (
        <option key={days} value={days}>
          {remindersWords(days)}
        </option>
      ))}
    </SelectField>
  );
}

/** « Tous les 3 jours ». */
export function remindersWords(days: number | null): string {
  if (days === null) return "Aucun";
  if (days === 7) return "Toutes les semaines";
  return days === 1 ? "Chaque jour" : `Tous les ${days} jours`;
}
