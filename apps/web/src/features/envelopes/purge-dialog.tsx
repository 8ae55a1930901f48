import type { Envelope } from "@paraphe/contracts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { useRowAction } from "./use-row-action.ts";

type Props = {
  readonly envelope: Envelope;
  readonly onClose: () => void;
  readonly onPurged?: () => void;
};

/** Asks before the one action that cannot be undone. */
export function PurgeDialog({ envelope, onClose, onPurged }: Props) {
  const purge = useRowAction({
    run: envelopeCalls.purge,
    success: "Enveloppe purgée définitivement",
    failure: "Échec de la purge de l'enveloppe",
    onDone: onClose,
    onSuccess: onPurged,
  });
  return (
    <ConfirmDialog
      title="Purger définitivement ?"
      message={`« ${envelope.title} », ses fichiers et ses signatures seront effacés.`}
      secondary="Cette action est irréversible."
      confirmLabel="Purger"
      tone="danger"
      busy={purge.isPending}
      onConfirm={() => purge.mutate(envelope)}
      onCancel={onClose}
    />
  );
}
