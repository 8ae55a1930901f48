import type { StoredStatus } from "./envelope.ts";

/** How a status is called to a person. Source: specification §4. */
export const STATUS_LABELS: Readonly<Record<StoredStatus, string>> = {
  draft: "Brouillon",
  sent: "En cours",
  pending: "En cours",
  completed: "Terminé",
  declined: "Refusé",
  expired: "Expiré",
  cancelled: "Annulé",
};
