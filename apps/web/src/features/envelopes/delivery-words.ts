import type { Delivery } from "@paraphe/contracts";
import { formatShortInstant } from "../../lib/format-dates.ts";

const KINDS: Readonly<Record<string, string>> = {
  invitation: "Invitation",
  reminder: "Rappel",
  expiring: "Rappel avant l’échéance",
  extended: "Nouvelle échéance",
  code: "Code à usage unique",
  completed: "Exemplaire signé",
  declined: "Annonce d’un refus",
  cancelled: "Annonce de l’annulation",
  expired: "Annonce de l’échéance dépassée",
};
const CHANNELS: Readonly<Record<string, string>> = { email: "email", sms: "SMS", push: "notification" };

/** Names a message and how it went: « Invitation par email ». */
export function deliveryName({ kind, channel }: Pick<Delivery, "kind" | "channel">): string {
  return `${KINDS[kind] ?? "Message"} par ${CHANNELS[channel] ?? channel}`;
}

/** Says what became of a message. */
export function deliveryState(delivery: Delivery): string {
  const { state, tries, failure } = delivery;
  const at = delivery.ended_at === null ? "" : ` le ${formatShortInstant(delivery.ended_at)}`;
  switch (state) {
    case "queued":
      return tries === 0 ? "Envoi en cours" : "Le serveur du destinataire fait attendre : nouvel essai bientôt";
    case "sent":
      return `Envoyé${at}`;
    case "delivered":
      return delivery.opened_at === null ? `Reçu, envoyé${at}` : `Lien ouvert le ${formatShortInstant(delivery.opened_at)}`;
    case "refused":
      return failureWords(failure?.detail);
    case "withdrawn":
      return "Retiré avant l’envoi";
  }
}

/** Why the last message to somebody did not arrive; undefined when it did, or may still. */
export function lastFailure(deliveries: readonly Delivery[] | undefined): string | undefined {
  const last = deliveries?.find(({ state }) => state !== "withdrawn");
  return last?.state === "refused" ? failureWords(last.failure?.detail) : undefined;
}

/** Says whether a message is about to leave: the page looks again soon. */
export function isLeaving({ state, tries }: Pick<Delivery, "state" | "tries">): boolean {
  return state === "queued" && tries === 0;
}

/** Says whether no server was ever asked to take a message: the service itself did not send it. */
export function isUnsent({ state, server_answer }: Pick<Delivery, "state" | "server_answer">): boolean {
  return state === "refused" && server_answer === null;
}

function failureWords(detail: string | undefined): string {
  return detail === undefined ? "Échec d’envoi" : `Échec d’envoi : ${detail}`;
}
