import type { Envelope } from "@paraphe/contracts";

/** Gives the list an envelope is found in, for the way back. */
export function listOfEnvelope(status: Envelope["status"]): { readonly to: string; readonly label: string } {
  if (status === "completed") return { to: "/signature/envelopes/completed", label: "Complété(s)" };
  if (status === "action_required") return { to: "/signature/envelopes/action-required", label: "Action requise" };
  if (status === "draft") return { to: "/signature/envelopes/drafts", label: "Brouillons" };
  if (status === "cancelled") return { to: "/signature/envelopes/deleted", label: "Supprimé" };
  return { to: "/signature/envelopes/sent", label: "Envoyé" };
}
