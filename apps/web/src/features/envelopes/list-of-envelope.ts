import type { Envelope } from "@paraphe/contracts";

/** Gives the list an envelope is found in, for the way back. */
export function listOfEnvelope(status: Envelope["status"]): {
  readonly to: string;
  readonly label: string;
} {
  if (status === "completed") return { to: "/signature/envelopes/completed", label: "Complété(s)" };
  if (status === "action_required")
    return { to: "/signature/envelopes/action-required", label: "Action requise" };
  if (status === "draft") return { to: "/signature/envelopes/drafts", label: "Brouillons" };
  if (status === "cancelled") return { to: "/signature/envelopes/deleted", label: "Supprimé" };
  return { to: "/signature/envelopes/sent", label: "Envoyé" };
}

const addresses = new Map<string, string>();

/** Keeps where one stands in a list (page, search, order), for the way back to it from an envelope. */
export function rememberListAddress(path: string, query: string): void {
  addresses.set(path, `${path}${query}`);
}

/** Gives a list's path, with the page, search and order one left it in. */
export function listAddress(path: string): string {
  return addresses.get(path) ?? path;
}
