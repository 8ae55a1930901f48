import type { Envelope } from "@paraphe/contracts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { unreachedCount } from "../reached-words.ts";

/** The first three addresses and how many others, after how many were not notified. */
export function recipientsSummary(envelope: Envelope): string {
  const unreached = unreachedCount(envelope);
  return unreached === "" ? addresses(envelope) : `${unreached} · ${addresses(envelope)}`;
}

function addresses(envelope: Envelope): string {
  const emails = envelope.recipients.map((recipient) => recipient.email);
  if (emails.length === 0) return "Sans destinataire";
  if (emails.length <= 3) return emails.join(", ");
  return `${emails.slice(0, 2).join(", ")} et ${emails.length - 2} autres`;
}

/** « Aucun fichier », « Sans destinataire », « 2 destinataires, champs à placer ». */
export function draftSummary(envelope: Envelope): string {
  if (envelope.documents.length === 0) return "Aucun fichier";
  if (envelope.recipients.length === 0) return "Sans destinataire";
  const recipients = plural(envelope.recipients.length, "destinataire");
  return envelope.field_count === 0 ? `${recipients}, champs à placer` : recipients;
}
