import type { Envelope } from "@paraphe/contracts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { tellingWords } from "./recipient-state.ts";
import { useRowAction } from "./use-row-action.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

/** Asks before cancelling a sent envelope. Its buttons do not say 'Annuler' alone: one could not tell which gives up. */
export function CancelDialog({ envelope, onClose }: Props) {
  const cancel = useRowAction({
    run: envelopeCalls.cancel,
    success: "Enveloppe annulée",
    failure: "Échec de l'annulation",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title="Annuler cette enveloppe ?"
      message={`« ${envelope.title} » ne pourra plus être signé. ${tellingWords("Les signataires en seront informés.", "les signataires")}`}
      secondary="Vous pourrez la restaurer pendant 10 jours depuis « Supprimé »."
      confirmLabel="Annuler l’enveloppe"
      cancelLabel="Garder l’enveloppe"
      tone="danger"
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate(envelope)}
      onCancel={onClose}
    />
  );
}
