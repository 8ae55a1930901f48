import type { Envelope } from "@paraphe/contracts";
import { useEffect } from "react";
import { FullLoader } from "../../../ui/full-loader/full-loader.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { useRewind } from "./use-steps.ts";

type Closed = Pick<Envelope, "id" | "status" | "sent_at">;

/** Leads to the envelope's own page: it is no draft any more, and why is said once. */
export function AlreadySent({ envelope }: { envelope: Closed }) {
  const sentence = closedSentence(envelope);
  useEffect(() => void showToast("info", sentence), [sentence]);
  useRewind(`/signature/detail/${envelope.id}`);
  return <FullLoader label="Ouverture de l’enveloppe" />;
}

function closedSentence({ status, sent_at }: Closed): string {
  if (status !== "cancelled") return "Cette enveloppe a déjà été envoyée.";
  return sent_at === null
    ? "Ce brouillon est dans «\u00a0Supprimé\u00a0». Restaurez-le pour le modifier."
    : "Cette enveloppe a été annulée.";
}
