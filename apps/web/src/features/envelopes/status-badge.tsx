import type { Envelope } from "@paraphe/contracts";
import { Badge, type Tone } from "../../ui/badge/badge.tsx";
import { Progress } from "../../ui/progress/progress.tsx";

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
  returned: { tone: "action", label: "Renvoyée" },
};

/** The labels of specification §4. */
export function statusLook(status: string): { readonly tone: Tone; readonly label: string } {
  return LOOKS[status] ?? SENT;
}

type Props = {
  readonly status: string;
  /** In the list of deleted envelopes, a cancelled one reads 'Supprimé'. */
  readonly deleted?: boolean;
  /** A draft that its sender is to correct. */
  readonly returned?: Envelope["returned"];
};

export function StatusBadge({ status, deleted = false, returned }: Props) {
  const { tone, label } = statusLook(returned ? "returned" : status);
  return <Badge tone={tone}>{deleted && tone === "cancelled" ? "Supprimé" : label}</Badge>;
}

/** Signatures and visas, of all who must act. */
export function answersOf({
  progress,
  recipients,
}: Envelope): Envelope["progress"] & { readonly word: "signature" | "réponse" } {
  const visas = recipients.filter(({ role }) => role === "visa");
  if (visas.length === 0) return { ...progress, word: "signature" };
  const total = progress.total + visas.length;
  const signed = progress.signed + visas.filter((one) => one.approved_at !== null).length;
  return { signed, total, percent: Math.round((100 * signed) / total), word: "réponse" };
}

/** An envelope without signers says so rather than 0 %. */
export function SigningProgress({ envelope }: { readonly envelope: Envelope }) {
  const answers = answersOf(envelope);
  if (answers.total === 0) return <span className="muted">Aucun signataire</span>;
  return <Progress {...answers} />;
}
