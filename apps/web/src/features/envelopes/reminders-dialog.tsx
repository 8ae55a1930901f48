import type { Envelope } from "@paraphe/contracts";
import { useId, useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { ReminderSelect } from "../prepare/reminder-select.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

/** Switches the automatic reminders of an envelope already sent on or off, or times them anew. */
export function RemindersDialog({ envelope, onClose }: Props) {
  const form = useId();
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
    <Dialog
      title="Modifier les rappels"
      sheet
      onClose={onClose}
      locked={isBusy}
      actions={
        <>
          <Button onClick={onClose}>Fermer</Button>
          <Button variant="primary" type="submit" form={form} loading={isBusy}>
            Enregistrer
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <ReminderSelect value={days} onChange={setDays} />
      </form>
    </Dialog>
  );
}
