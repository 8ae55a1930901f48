import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { useServiceRules } from "../../lib/service-rules.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { type Asker, isAskedToday, noteAsked } from "./asked-extension.ts";
import { ASK_FOR_MORE_TIME } from "./request-standing.ts";
import type { SigningCalls } from "./signing-calls.ts";

type AskExtensionProps = { readonly asker: Asker; readonly calls: Pick<SigningCalls, "requestExtension"> };

/** Asks the sender for more time, on the page of a request whose deadline has passed; once a day, a reload between or not. */
export function AskExtension({ asker, calls }: AskExtensionProps) {
  const { mail } = useServiceRules();
  const [wasAsked] = useState(() => isAskedToday(asker));
  const ask = useMutation({ mutationFn: () => calls.requestExtension(), onSuccess: () => noteAsked(asker) });
  return (
    <>
      {ask.isError && <Alert tone="danger">{callMessage(ask.error, "La demande n’a pas été transmise. Réessayez.")}</Alert>}
      {ask.isSuccess || wasAsked ? (
        <p role="status">
          {mail
            ? `${ask.data?.told ? "Votre demande a été transmise à l’expéditeur." : "L’expéditeur a déjà été prévenu aujourd’hui."} Vous recevrez un message s’il prolonge le délai.`
            : "Votre demande est notée dans l’historique de l’enveloppe. Ce service n’envoie pas d’email\u00a0: prévenez l’expéditeur vous-même, puis rouvrez cette page."}
        </p>
      ) : (
        <>
          <p className="ink2">{ASK_FOR_MORE_TIME}</p>
          <Button variant="primary" loading={ask.isPending} onClick={() => ask.mutate()}>
            Demander une prolongation
          </Button>
        </>
      )}
    </>
  );
}
