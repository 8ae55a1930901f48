import { useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sentWords } from "../reached-words.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { useRewind } from "./use-rewind.ts";

/** Sends the envelope once: everything typed is saved first; the same key makes a second press harmless. */
export function useSending(keeper: DraftKeeper) {
  const [isBusy, setIsBusy] = useState(false);
  const [sentId, setSentId] = useState<string | null>(null);
  useRewind(sentId === null ? null : `/signature/detail/${sentId}`);
  const [key] = useState(() => crypto.randomUUID());
  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      const isSaved = await keeper.flush();
      const { envelope } = keeper.state();
      if (!isSaved || !envelope) {
        showToast("err", "L’enveloppe n’a pas pu être enregistrée : elle n’est pas envoyée.");
        return;
      }
      // The version in the key: after a change and a refused sending, it is another request. The keeper says what another page did meanwhile.
      const sent = await keeper.exclusively(() => envelopeCalls.send(envelope, `${key}-${envelope.version}`));
      const { title, detail } = sentWords(sent);
      showToast("ok", title, { detail });
      setSentId(envelope.id);
    } catch (error) {
      showToast("err", callMessage(error, "Impossible d’envoyer l’enveloppe. Réessayez dans un instant."));
    } finally {
      setIsBusy(false);
    }
  };
  return { send, isBusy, sentId };
}
