import type { Envelope } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useState } from "react";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { CLOSED, envelopeCalls } from "./envelope-calls.ts";
import { describeNotifying } from "./reached-words.ts";
import { invitedAnew } from "./recipient-state.ts";
import { useRowAction } from "./use-row-action.ts";

type CancelProps = { readonly envelope: Envelope; readonly onClose: () => void };

function toldOfEnd({ returned }: Envelope): string {
  return returned === undefined
    ? describeNotifying("Les signataires en seront informés.", "les signataires")
    : describeNotifying(
        "Les personnes déjà sollicitées sont prévenues que la demande est annulée.",
        "les personnes déjà sollicitées",
      );
}

/** 'Annuler' alone could mean either button. */
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
      message={`« ${envelope.title} » ne pourra plus être signé. ${toldOfEnd(envelope)}`}
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

/** The same call as cancelling (specification §4). */
export function DeleteDialog({ envelope, onClose }: DeleteProps) {
  const isDraft = envelope.status === "draft";
  const told = envelope.returned === undefined ? "" : ` ${toldOfEnd(envelope)}`;
  const remove = useRowAction({
    run: envelopeCalls.cancel,
    success: isDraft ? "Brouillon supprimé" : "Enveloppe supprimée avec succès",
    failure: "Échec de la suppression",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={isDraft ? "Supprimer ce brouillon ?" : "Supprimer ce document ?"}
      message={`« ${envelope.title} » sera déplacé dans « Supprimé ».${told}`}
      secondary={
        isDraft
          ? "Vous pourrez le restaurer pendant 10 jours."
          : CLOSED.has(envelope.status)
            ? "Vous pourrez le restaurer pendant 10 jours. La preuve restera vérifiable."
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

/** Asks first when invitations would leave, and otherwise restores at once. */
export function useRestore() {
  const [asked, setAsked] = useState<Envelope>();
  const close = () => setAsked(undefined);
  const restoring = useRowAction({
    run: envelopeCalls.restore,
    success: "Enveloppe restaurée avec succès",
    detail: ({ restores_to: status, sent_at: sentAt }) =>
      status === "draft" && sentAt !== null
        ? "Elle revient «\u00a0Renvoyée\u00a0» parmi les brouillons. Personne n’est prévenu."
        : undefined,
    failure: "Échec de la restauration de l'enveloppe",
    onDone: close,
  });
  const restore = (envelope: Envelope) =>
    invitedAnew(envelope).length > 0 ? setAsked(envelope) : restoring.mutate(envelope);
  return { restore, restoring, asked, close };
}

export function RestoreDialog({ restoring, asked, close }: ReturnType<typeof useRestore>) {
  if (asked === undefined) return null;
  const names = invitedAnew(asked).map((person) => person.full_name);
  const told =
    names.length === 1
      ? `${names[0]} reçoit aussitôt une nouvelle invitation.`
      : `${names.length}\u00a0personnes reçoivent aussitôt une nouvelle invitation\u00a0: ${andList(names)}.`;
  return (
    <ConfirmDialog
      title={"Restaurer cette enveloppe\u202f?"}
      message={`«\u00a0${asked.title}\u00a0» pourra de nouveau être signé. ${describeNotifying(told, andList(names))}`}
      confirmLabel="Restaurer"
      busy={restoring.isPending}
      onConfirm={() => restoring.mutate(asked)}
      onCancel={close}
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
