import type { Template } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { DeleteDialog } from "../../../ui/dialog/delete-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { templateCalls, templatesQuery } from "./use-templates.ts";

export function DeleteTemplateDialog({
  template,
  onClose,
}: {
  template: Template;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      title={"Supprimer ce modèle\u202f?"}
      message={`«\u00a0${template.name}\u00a0» sera supprimé définitivement.`}
      secondary="Les enveloppes qui en viennent ne changent pas."
      remove={() => templateCalls.remove(template.id)}
      onDone={() => {
        showToast("ok", "Modèle supprimé.");
        return client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
