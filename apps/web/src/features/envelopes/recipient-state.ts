import type { Envelope, Recipient } from "@paraphe/contracts";
import { formatShortInstant } from "../../lib/format-dates.ts";
import { deliveryState } from "./delivery-words.ts";
import { OPEN_STATUSES } from "./open-statuses.ts";

export type RecipientState = { readonly tone: "signed" | "waiting" | "declined" | "none"; readonly label: string; readonly note?: string };

const REQUESTS = new Set(["invitation", "reminder", "expiring", "extended"]);

/** Says where a recipient is: signed, awaited, refused, or only to receive a copy. */
export function recipientState(recipient: Recipient, envelope: Pick<Envelope, "status">): RecipientState {
  if (recipient.signed) {
    const label = recipient.role === "approver" ? "Approuvé" : "Signé";
    return { tone: "signed", label, ...(recipient.signed_at ? { note: formatShortInstant(recipient.signed_at) } : {}) };
  }
  if (recipient.status === "declined") {
    return { tone: "declined", label: "Refusé", ...(recipient.decline_reason ? { note: recipient.decline_reason } : {}) };
  }
  if (recipient.role === "viewer") return { tone: "none", label: "Copie" };
  if (envelope.status === "draft") return { tone: "none", label: "Pas encore invité" };
  if (!OPEN_STATUSES.has(envelope.status)) return { tone: "none", label: "N’a pas signé" };
  if (recipient.status === "waiting") return { tone: "waiting", label: "En attente de son tour" };
  if (recipient.status === "unreached") return { tone: "waiting", label: "Pas encore prévenu" };
  const note = recipient.viewed_at ? `Vu le ${formatShortInstant(recipient.viewed_at)}` : linkNote(recipient);
  return { tone: "waiting", label: "En attente", note };
}

/** Whose turn it is: the same address may also stand for somebody in copy, or for one who has answered. */
export function isAwaited({ role, status }: Recipient): boolean {
  return role !== "viewer" && (status === "unreached" || status === "notified" || status === "viewed");
}

/** What became of the last link, as far as the sender is told. */
function linkNote({ deliveries }: Recipient): string {
  const last = deliveries?.find(({ kind, state }) => REQUESTS.has(kind) && state !== "withdrawn");
  return last === undefined ? "Lien envoyé" : deliveryState(last);
}
