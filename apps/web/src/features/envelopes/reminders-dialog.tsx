import type { Envelope } from "@paraphe/contracts";
import { ReminderSelect } from "./prepare/documents/reminder-select.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { SettingDialog } from "./setting-dialog.tsx";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

/** Switches the automatic reminders of an envelope already sent on or off, or times them anew. */
export function RemindersDialog({ envelope, onClose }: Props) {
  return (
    <SettingDialog
      title="Modifier les rappels"
      start={envelope.reminders?.every_days ?? null}
      save={(days) => envelopeCalls.changeReminders(envelope.id, days)}
      saved={(days) =>
        days === null ? "Rappels automatiques arrêtés" : "Rappels automatiques enregistrés"
      }
      failed="Les rappels n’ont pas été changés. Réessayez."
      onClose={onClose}
    >
      {(days, onChange) => <ReminderSelect value={days} onChange={onChange} />}
    </SettingDialog>
  );
}
