import type { Envelope } from "@paraphe/contracts";
import { formatAge } from "../../../lib/format-dates.ts";
import { ofName } from "../../../lib/of-name.ts";

/** Gives the page of an envelope: a draft is worked on, another is looked at. */
export function recentLink(envelope: Envelope): string {
  return envelope.status === "draft" ? `/signature/workflow/${envelope.id}` : `/signature/detail/${envelope.id}`;
}

/** « Modifié il y a 2 h », or who sent it. */
export function recentSubtitle(envelope: Envelope, now: Date): string {
  return envelope.is_owner ? `Modifié ${formatAge(envelope.updated_at, now)}` : `Reçu ${ofName(envelope.created_by_name)}`;
}

/** Names of those who sign, in order. */
export function signerNames(envelope: Envelope): readonly string[] {
  return envelope.recipients.filter((recipient) => recipient.role !== "viewer").map((recipient) => recipient.full_name);
}
