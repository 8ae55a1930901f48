import type { Tone } from "../../ui/badge/status-glyph.tsx";

const SENT = { tone: "sent", label: "En cours" } as const;
const COMPLETED = { tone: "completed", label: "Terminé" } as const;
const CANCELLED = { tone: "cancelled", label: "Annulé" } as const;

const LOOKS: Readonly<Record<string, { readonly tone: Tone; readonly label: string }>> = {
  draft: { tone: "draft", label: "Brouillon" },
  sent: SENT,
  pending: SENT,
  completed: COMPLETED,
  signed: COMPLETED,
  cancelled: CANCELLED,
  canceled: CANCELLED,
  action_required: { tone: "action", label: "Action requise" },
  declined: { tone: "declined", label: "Refusée" },
  expired: { tone: "expired", label: "Expirée" },
};

/** Gives a status's colour and word (specification §4); one the client does not know is shown as sent. */
export function statusLook(status: string): { readonly tone: Tone; readonly label: string } {
  return LOOKS[status] ?? SENT;
}
