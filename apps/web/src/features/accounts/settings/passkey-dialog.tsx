import { MAX_PASSKEY_NAME_LENGTH } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { addPasskey, isCancelled, isKnownPasskey } from "../passkeys.ts";
import { sessionsQuery } from "./use-sessions.ts";

type Props = {
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
};

export function PasskeyDialog({ onDone, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const { data: sessions } = useQuery(sessionsQuery);
  const device = sessions?.find(({ current }) => current)?.device ?? "";
  const [typed, setTyped] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [fault, setFault] = useState<string>();
  const name = typed ?? device;
  const add = async () => {
    setFailure(undefined);
    setFault(name.trim() === "" ? "Nom de la clé requis" : undefined);
    if (name.trim() === "") {
      input.current?.focus();
      return;
    }
    setBusy(true);
    try {
      onDone((await addPasskey(name)).recovery_codes);
    } catch (error) {
      setFault(error instanceof ApiError ? error.fieldErrors["name"]?.join(" ") : undefined);
      setFailure(refusalOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      title="Ajouter une clé d’accès"
      sheet
      action="Continuer"
      isBusy={busy}
      failure={failure}
      initialFocus={input}
      onClose={onClose}
      onSubmit={() => void add()}
    >
      <p>Votre appareil va vous demander votre visage, votre empreinte ou votre code.</p>
      <TextField
        ref={input}
        label="Nom de la clé"
        help="Pour la reconnaître dans cette liste."
        maxLength={MAX_PASSKEY_NAME_LENGTH}
        value={name}
        onChange={(event) => setTyped(event.target.value)}
        error={fault}
      />
    </FormDialog>
  );
}

function refusalOf(error: unknown): string | undefined {
  if (isCancelled(error)) return "Aucune clé d’accès n’a répondu. Réessayez.";
  if (isKnownPasskey(error)) return "Cette clé d’accès est déjà enregistrée sur ce compte.";
  if (error instanceof ApiError && error.fieldErrors["name"]) return undefined;
  return callMessage(error, "Impossible d’ajouter la clé d’accès");
}
