import type { User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { callMessage } from "../../../lib/call-message.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { confirmAddress } from "./profile-calls.ts";

/** Shown when the page was opened by the link sent to a new address: one press makes it the account's. */
export function ConfirmAddress({ onChanged }: { readonly onChanged: (user: User) => void }) {
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const token = search.get("email");
  if (failure !== undefined) return <Alert tone="danger">{failure}</Alert>;
  if (token === null) return null;
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      const user = await confirmAddress(token);
      client.setQueryData(sessionQuery.queryKey, user);
      showToast("ok", "Adresse modifiée");
      onChanged(user);
    } catch (error) {
      setFailure(callMessage(error, "Impossible de modifier l’adresse"));
    }
    setBusy(false);
    setSearch({}, { replace: true });
  };
  return (
    <Alert tone="info" title="Confirmez votre nouvelle adresse">
      <p>L’adresse où vous avez reçu ce lien deviendra celle de votre compte.</p>
      <Button loading={busy} onClick={() => void confirm()}>
        Confirmer cette adresse
      </Button>
    </Alert>
  );
}
