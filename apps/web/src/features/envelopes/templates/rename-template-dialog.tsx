import { MAX_TEMPLATE_NAME_LENGTH, type Template } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { NameDialog } from "../../../ui/dialog/name-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { templateCalls, templatesQuery } from "./use-templates.ts";

export function RenameTemplateDialog({
  template,
  onClose,
}: {
  template: Template;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <NameDialog
      title="Renommer le modèle"
      label="Nom du modèle"
      name={template.name}
      maxLength={MAX_TEMPLATE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Nom requis",
        failure: "Le modèle n’a pas pu être renommé. Réessayez dans un instant.",
      }}
      save={(name) => templateCalls.rename(template.id, name)}
      onDone={() => {
        showToast("ok", "Modèle renommé.");
        void client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
