import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { parisDay } from "../../../lib/format/format-dates.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { shortHash } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ASK_FOR_MORE_TIME } from "../request-standing.ts";
import type { SigningCalls } from "../signing-calls.ts";

/** A guest's entry must not reveal the link's token. */
type Asker = { readonly envelopeId: string; readonly recipient: string };

const key = ({ envelopeId, recipient }: Asker) =>
  `paraphe.extension.${envelopeId}.${shortHash(recipient)}`;
/** The service counts days in Paris time. */
const today = () => parisDay(new Date());

export function isAskedToday(asker: Asker): boolean {
  return withStorage((storage) => storage.getItem(key(asker)) === today()) ?? false;
}

export function noteAsked(asker: Asker): void {
  withStorage((storage) => storage.setItem(key(asker), today()));
}

function withStorage<T>(action: (storage: Storage) => T): T | null {
  try {
    return action(localStorage);
  } catch (cause) {
    // Without storage, only the note is lost: the service refuses a second request.
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}

type AskExtensionProps = {
  readonly asker: Asker;
  readonly calls: Pick<SigningCalls, "requestExtension">;
};

/** One request a day, across reloads. */
export function AskExtension({ asker, calls }: AskExtensionProps) {
  const { mail } = useServiceRules();
  const [wasAsked] = useState(() => isAskedToday(asker));
  const ask = useMutation({
    mutationFn: () => calls.requestExtension(),
    onSuccess: () => noteAsked(asker),
  });
  return (
    <>
      {ask.isError && (
        <Alert tone="danger">
          {callMessage(ask.error, "La demande n’a pas été transmise. Réessayez.")}
        </Alert>
      )}
      {ask.isSuccess || wasAsked ? (
        <p role="status">
          {mail ? (
            <>
              <b>Demande envoyée</b>
              <br />
            </>
          ) : null}
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
