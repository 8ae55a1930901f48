import { type LayoutField, MAX_LAYOUT_NAME_LENGTH } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { plural } from "../../lib/format-numbers.ts";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { layoutCalls, layoutsQuery } from "./layout-calls.ts";

/** Keeps where the fields stand under a name, to put them on other documents. */
export function SaveLayoutDialog({ fields, onClose }: { readonly fields: readonly LayoutField[]; readonly onClose: () => void }) {
  const client = useQueryClient();
  const form = useId();
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState("");
  const [fault, setFault] = useState<string>();
  const refuse = (sentence: string) => {
    setFault(sentence);
    input.current?.focus();
  };
  const save = useMutation({
    mutationFn: () => layoutCalls.save({ name, fields: [...fields] }),
    onSuccess: async (layout) => {
      onClose();
      showToast("ok", `Disposition «\u00a0${layout.name}\u00a0» enregistrée.`);
      await client.invalidateQueries({ queryKey: layoutsQuery.queryKey });
    },
    onError: (error) => {
      const named = error instanceof ApiError ? error.fieldErrors["name"]?.[0] : undefined;
      refuse(named ?? callMessage(error, "La disposition n’a pas pu être enregistrée. Réessayez dans un instant."));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") refuse("Nom requis");
    else save.mutate();
  };
  return (
    <Dialog
      title="Enregistrer cette disposition"
      sheet
      onClose={onClose}
      initialFocus={input}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form} loading={save.isPending} blocked={fields.length === 0}>
            Enregistrer
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit} noValidate>
        <p>
          {fields.length === 0
            ? "Placez au moins un champ : il n’y a rien à garder."
            : `La place de ${plural(fields.length, "champ")} est gardée, sans les fichiers, les personnes ni les textes écrits d’avance.`}
        </p>
        <TextField
          ref={input}
          label="Nom de la disposition"
          required
          maxLength={MAX_LAYOUT_NAME_LENGTH}
          value={name}
          error={fault}
          onChange={(event) => {
            setName(event.target.value);
            setFault(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
