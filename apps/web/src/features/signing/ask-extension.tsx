import { useMutation } from "@tanstack/react-query";
import { callMessage } from "../../lib/call-message.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import type { SigningCalls } from "./signing-calls.ts";

/** Asks the sender for more time, on the page of a request whose deadline has passed. */
export function AskExtension({ calls }: { readonly calls: Pick<SigningCalls, "requestExtension"> }) {
  const ask = useMutation({ mutationFn: () => calls.requestExtension() });
  return (
    <>
      {ask.isError && <Alert tone="danger">{callMessage(ask.error, "La demande n’a pas été transmise. Réessayez.")}</Alert>}
      {ask.isSuccess ? (
        <p role="status">
          {ask.data.told
            ? "Votre demande a été transmise à l’expéditeur. Vous recevrez un message s’il prolonge le délai."
            : "L’expéditeur a déjà été prévenu aujourd’hui. Vous recevrez un message s’il prolonge le délai."}
        </p>
      ) : (
        <Button variant="primary" loading={ask.isPending} onClick={() => ask.mutate()}>
          Demander une prolongation
        </Button>
      )}
    </>
  );
}
