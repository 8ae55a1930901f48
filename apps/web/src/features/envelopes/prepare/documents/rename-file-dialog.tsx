import { type Document, MAX_FILE_NAME_LENGTH } from "@paraphe/contracts";
import { useRef } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { NameDialog } from "../../../../ui/dialog/form-dialog.tsx";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { envelopeCalls } from "../draft/envelope-calls.ts";

type RenameFileDialogProps = {
  readonly document: Document;
  readonly keeper: DraftKeeper;
  readonly onClose: () => void;
};

export function RenameFileDialog({ document, keeper, onClose }: RenameFileDialogProps) {
  // As the service stores it: a hyphen for a slash, an extension added.
  const kept = useRef(document.name);
  const rename = async (name: string) => {
    const answer = await keeper.exclusively((envelope) => {
      if (!envelope) throw new Error("no envelope to change");
      return envelopeCalls.patch(envelope, { document_names: [{ id: document.id, name }] });
    });
    kept.current = answer.documents.find(({ id }) => id === document.id)?.name ?? name;
  };
  return (
    <NameDialog
      title="Renommer le fichier"
      label="Nom du fichier"
      name={document.name}
      maxLength={MAX_FILE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Nom requis",
        failure: "Le fichier n’a pas pu être renommé. Réessayez dans un instant.",
      }}
      save={rename}
      onDone={() => announce(`Fichier renommé\u00a0: ${kept.current}`)}
      onClose={onClose}
    />
  );
}
