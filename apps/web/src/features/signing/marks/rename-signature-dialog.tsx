import { MAX_SIGNATURE_NAME_LENGTH, type SavedSignature } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { NameDialog } from "../../../ui/dialog/name-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { savedSignatureCalls, savedSignaturesQuery } from "./use-saved-signatures.ts";

export function RenameSignatureDialog({
  signature,
  onClose,
}: {
  signature: SavedSignature;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <NameDialog
      title="Renommer la signature"
      label="Nom de la signature"
      name={signature.name}
      maxLength={MAX_SIGNATURE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Donnez un nom à cette signature",
        failure: "La signature n’a pas pu être renommée. Réessayez dans un instant.",
      }}
      save={(name) => savedSignatureCalls.change(signature.id, { name })}
      onDone={() => {
        showToast("ok", "Signature renommée.");
        void client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
