import { type Layout, type LayoutField, MAX_LAYOUT_NAME_LENGTH } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { plural } from "../../../lib/format-numbers.ts";
import { NameDialog } from "../../../ui/dialog/name-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { layoutCalls, layoutsQuery } from "./layout-calls.ts";

/** Keeps where the fields stand under a name, to put them on other documents. */
export function SaveLayoutDialog({
  fields,
  onClose,
}: {
  readonly fields: readonly LayoutField[];
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const kept = useRef<Layout>(null);
  return (
    <NameDialog
      title="Enregistrer cette disposition"
      label="Nom de la disposition"
      maxLength={MAX_LAYOUT_NAME_LENGTH}
      words={{
        action: "Enregistrer",
        required: "Nom requis",
        failure: "La disposition n’a pas pu être enregistrée. Réessayez dans un instant.",
      }}
      isBlocked={fields.length === 0}
      save={async (name) => {
        kept.current = await layoutCalls.save({ name, fields: [...fields] });
      }}
      onDone={() => {
        showToast("ok", `Disposition «\u00a0${kept.current?.name ?? ""}\u00a0» enregistrée.`);
        void client.invalidateQueries({ queryKey: layoutsQuery.queryKey });
      }}
      onClose={onClose}
    >
      <p>
        {fields.length === 0
          ? "Placez au moins un champ : il n’y a rien à garder."
          : `La place de ${plural(fields.length, "champ")} est gardée, avec les phrases des mentions, sans les fichiers, les personnes ni les autres textes écrits d’avance.`}
      </p>
    </NameDialog>
  );
}
