import type { Envelope } from "@paraphe/contracts";
import { serviceRules } from "../../lib/api/service-rules.ts";

type Reach = Pick<Envelope, "reached" | "recipients">;

const NO_MAIL = "Ce service n’envoie pas d’email";

export function sentWords(envelope: Reach): { readonly title: string; readonly detail?: string } {
  const names = envelope.recipients
    .filter(({ status }) => status === "unreached")
    .map((person) => person.full_name);
  const title =
    envelope.reached === false ? "Enveloppe ouverte à la signature." : "Enveloppe envoyée.";
  return names.length === 0
    ? { title }
    : { title, detail: `À prévenir vous-même\u00a0: ${names.join(", ")}.` };
}

export function openedWord({ sent_at, reached }: Pick<Envelope, "sent_at" | "reached">): string {
  if (sent_at === null) return "Créé";
  return reached === false ? "Ouvert à la signature" : "Envoyé";
}

/** How many people of a list's row no message reached; empty when none. */
export function unreachedCount({ recipients }: Pick<Envelope, "recipients">): string {
  const count = recipients.filter(({ status }) => status === "unreached").length;
  return count === 0 ? "" : `${count}\u00a0pas encore ${count > 1 ? "prévenus" : "prévenu"}`;
}

/** The sender notifies people where the service sends no mail. */
export function describeNotifying(told: string, people: string): string {
  return serviceRules().mail ? told : `${NO_MAIL}\u00a0: prévenez vous-même ${people}.`;
}

export const NO_REMINDERS = `${NO_MAIL}\u00a0: aucun rappel ne part.`;
