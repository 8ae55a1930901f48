import type { Envelope } from "@paraphe/contracts";
import { useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { FormDialog } from "../../ui/dialog/form-dialog.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { ReminderSelect } from "../prepare/reminder-select.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

/** Switches the automatic reminders of an envelope already sent on or off, or times them anew. */
export function RemindersDialog({ envelope, onClose }: Props) {
  const show = useFreshDetail();
  const [days, setDays] = useState(envelope.reminders?.every_days ?? null);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      show(await envelopeCalls.changeReminders(envelope.id, days));
      showToast("ok", days === null ? "Rappels automatiques arrêtés" : "Rappels automatiques enregistrés");
      onClose();
    } catch (error) {
      setIsBusy(false);
      setFailure(callMessage(error, "Les rappels n’ont pas été changés. Réessayez."));
    }
  };
  return (
    <FormDialog
      {...{ isBusy, failure, onClose }}
      title="Modifier les rappels"
      sheet
      action="Enregistrer"
      closing="Fermer"
      onSubmit={() => void submit()}
    >
      <ReminderSelect value={days} onChange={setDays} />
    </FormDialog>
  );
}
