import type { Envelope } from "@paraphe/contracts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { envelopeCalls } from "./envelope-calls.ts";
import { useRowAction } from "./use-row-action.ts";

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

/** Asks before deleting a draft or a completed envelope: the same call as cancelling (specification §4). */
export function DeleteDialog({ envelope, onClose }: Props) {
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
