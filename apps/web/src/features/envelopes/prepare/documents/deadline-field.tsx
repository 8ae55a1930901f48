import { addDays } from "@paraphe/kernel/paris-days";
import { parisDay } from "../../../../lib/format-dates.ts";
import { DateField } from "../../../../ui/date-field/date-field.tsx";
import { Segmented } from "../../../../ui/segmented/segmented.tsx";
import styles from "../step.module.css";
import { deadlineFault, deadlineWarning, lastDeadlineDay } from "./deadline.ts";

type DeadlineFieldProps = {
  /** Calendar day, empty for none. */
  readonly value: string;
  readonly now: Date;
  readonly refused: string | undefined;
  readonly onChange: (day: string) => void;
};

const SHORTCUTS = [7, 14, 30] as const;

/** Until when each signer's link works. */
export function DeadlineField({ value, now, refused, onChange }: DeadlineFieldProps) {
  const today = parisDay(now);
  const choices = [
    { value: "", label: "Aucune" },
    ...SHORTCUTS.map((days) => ({ value: addDays(today, days), label: `${days}\u00a0jours` })),
  ];
  return (
    <div className={styles.deadline}>
      <DateField
        label="Échéance"
        optional
        shortYear
        help="Passée cette date, le lien de signature se ferme."
        min={today}
        max={lastDeadlineDay(now)}
        value={value}
        onChange={onChange}
        error={deadlineFault(value, now) ?? refused}
        warning={deadlineWarning(value)}
      />
      <Segmented label="Échéance dans" value={value} options={choices} onChange={onChange} />
    </div>
  );
}
