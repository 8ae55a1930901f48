import type { Envelope } from "@paraphe/contracts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { describeNotifying } from "./reached-words.ts";
import { useRowAction } from "./use-row-action.ts";

type CancelProps = { readonly envelope: Envelope; readonly onClose: () => void };

/** 'Annuler' alone would not say which button gives up. */
export function CancelDialog({ envelope, onClose }: CancelProps) {
  const cancel = useRowAction({
    run: envelopeCalls.cancel,
    success: "Enveloppe annulée",
    failure: "Échec de l'annulation",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title="Annuler cette enveloppe ?"
      message={`« ${envelope.title} » ne pourra plus être signé. ${describeNotifying("Les signataires en seront informés.", "les signataires")}`}
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

type DeleteProps = { readonly envelope: Envelope; readonly onClose: () => void };

/** Deletes a draft or a completed envelope: the same call as cancelling (specification §4). */
export function DeleteDialog({ envelope, onClose }: DeleteProps) {
  const isDraft = envelope.status === "draft";
  const remove = useRowAction({
    run: envelopeCalls.cancel,
    success: isDraft ? "Brouillon supprimé" : "Enveloppe supprimée avec succès",
    failure: "Échec de la suppression",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={isDraft ? "Supprimer ce brouillon ?" : "Supprimer ce document ?"}
      message={`« ${envelope.title} » sera déplacé dans « Supprimé ».`}
      secondary={
        isDraft
          ? "Vous pourrez le restaurer pendant 10 jours."
          : "Vous pourrez le restaurer pendant 10 jours. Les autres parties conservent leur exemplaire et la preuve restera vérifiable."
      }
      confirmLabel="Supprimer"
      tone="danger"
      busy={remove.isPending}
      onConfirm={() => remove.mutate(envelope)}
      onCancel={onClose}
    />
  );
}

type PurgeProps = {
  readonly envelope: Envelope;
  readonly onClose: () => void;
  readonly onPurged?: () => void;
};

export function PurgeDialog({ envelope, onClose, onPurged }: PurgeProps) {
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
