import type { Envelope } from "@paraphe/contracts";
import { plural } from "../../lib/format-numbers.ts";

/** Says what a draft still lacks: « Aucun fichier », « Sans destinataire », « 2 destinataires, champs à placer ». */
export function draftSummary(envelope: Envelope): string {
  if (envelope.documents.length === 0) return "Aucun fichier";
  if (envelope.recipients.length === 0) return "Sans destinataire";
  const recipients = plural(envelope.recipients.length, "destinataire");
  return envelope.field_count === 0 ? `${recipients}, champs à placer` : recipients;
}
