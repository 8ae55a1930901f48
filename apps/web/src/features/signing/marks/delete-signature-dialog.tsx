import type { SavedSignature } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { DeleteDialog } from "../../../ui/dialog/delete-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { savedSignatureCalls, savedSignaturesQuery } from "./use-saved-signatures.ts";

/** `focusAfter`: the id of the signature whose card takes the focus afterwards; null for none. */
type DeleteSignatureDialogProps = {
  readonly signature: SavedSignature;
  readonly focusAfter: string | null;
  readonly onClose: () => void;
};

/** Asks before a signature goes for good. */
export function DeleteSignatureDialog({
  signature,
  focusAfter,
  onClose,
}: DeleteSignatureDialogProps) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      title={"Supprimer cette signature\u202f?"}
      message="Les documents déjà signés ne changent pas."
      secondary={`«\u00a0${signature.name}\u00a0»`}
      remove={() => savedSignatureCalls.remove(signature.id)}
      onDone={() => {
        showToast("ok", "Signature supprimée.");
        return client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      focusAfter={focusAfter === null ? null : `[data-signature="${focusAfter}"] button`}
      onClose={onClose}
    />
  );
}
