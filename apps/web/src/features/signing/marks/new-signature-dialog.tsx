import { MAX_SIGNATURE_NAME_LENGTH, type NewMark } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { MarkMakerTabs, MissingMark } from "./mark-maker-tabs.tsx";
import { useMarkMaker } from "./use-mark-maker.ts";
import { newRequest, savedSignatureCalls, savedSignaturesQuery } from "./use-saved-signatures.ts";

type NewSignatureDialogProps = {
  readonly signerName: string;
  readonly proposedName: string;
  readonly onClose: () => void;
};

export function NewSignatureDialog({ signerName, proposedName, onClose }: NewSignatureDialogProps) {
  const maker = useMarkMaker({ signerName, savedMarks: null });
  const mark = maker.mark?.mark.kind === "saved" ? null : (maker.mark?.mark ?? null);
  const { field, name, setName, fault, refusal, isSaving, save } = useNamedMark(
    proposedName,
    onClose,
  );
  return (
    <Dialog
      title="Nouvelle signature"
      size="lg"
      full
      columns
      onClose={onClose}
      locked={isSaving}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button
            variant="primary"
            blocked={mark === null}
            loading={isSaving}
            aria-describedby={mark === null ? "signature-manque" : undefined}
            onClick={() => mark && save(mark)}
          >
            Enregistrer
          </Button>
        </>
      }
    >
      {refusal !== null ? <Alert tone="danger">{refusal}</Alert> : null}
      <MarkMakerTabs maker={maker} />
      <TextField
        ref={field}
        label="Nom de la signature"
        maxLength={MAX_SIGNATURE_NAME_LENGTH}
        value={name}
        error={fault}
        onChange={(event) => setName(event.target.value)}
      />
      {mark === null ? (
        <MissingMark
          id="signature-manque"
          method={maker.method}
          words={(sentence) => sentence.replace("l’utiliser", "l’enregistrer")}
        />
      ) : null}
    </Dialog>
  );
}

/** `fault` is about the name; `refusal` is any other error. */
function useNamedMark(proposedName: string, onKept: () => void) {
  const client = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(proposedName);
  const [fault, setFault] = useState<string>();
  const refuse = (words: string) => {
    setFault(words);
    field.current?.focus();
  };
  const save = useMutation({
    mutationFn: (made: NewMark) =>
      savedSignatureCalls.save(newRequest(made, name.trim()), crypto.randomUUID()),
    onSuccess: async () => {
      onKept();
      showToast("ok", "Signature enregistrée.");
      await client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
    },
    onError: (error) => {
      const named = error instanceof ApiError ? error.fieldErrors["name"]?.[0] : undefined;
      if (named !== undefined) refuse(named);
    },
  });
  return {
    field,
    name,
    setName(typed: string) {
      setName(typed);
      setFault(undefined);
    },
    fault,
    refusal: save.isError && fault === undefined ? refusalOf(save.error) : null,
    isSaving: save.isPending,
    save: (mark: NewMark) =>
      name.trim() === "" ? refuse("Donnez un nom à cette signature") : save.mutate(mark),
  };
}

/** Prefers the sentence about the mark to the form's generic one. */
function refusalOf(error: unknown): string {
  const [named] = error instanceof ApiError ? (Object.values(error.fieldErrors)[0] ?? []) : [];
  return (
    named ??
    callMessage(error, "La signature n’a pas pu être enregistrée. Réessayez dans un instant.")
  );
}
