import type { Delivery, Envelope, Recipient } from "@paraphe/contracts";
import { formatShortInstant } from "../../lib/format/format-dates.ts";
import type { Tone } from "../../ui/badge/badge.tsx";
import { CLOSED, OPEN_STATUSES } from "./envelope-calls.ts";

const KINDS: Readonly<Record<string, string>> = {
  invitation: "Invitation",
  reminder: "Rappel",
  expiring: "Rappel avant l’échéance",
  extended: "Nouvelle échéance",
  code: "Code à usage unique",
  completed: "Exemplaire signé",
  declined: "Annonce d’un refus",
  cancelled: "Annonce de l’annulation",
  expired: "Annonce de l’échéance dépassée",
};

export function deliveryName({ kind }: Pick<Delivery, "kind">): string {
  return KINDS[kind] ?? "Message";
}

type Look = { readonly tone: Tone; readonly label: string };

export function deliveryBadge({ state, opened_at: openedAt }: Delivery): Look {
  if (openedAt !== null && state === "delivered") return { tone: "opened", label: "Ouvert" };
  return BADGES[state];
}
const BADGES: Readonly<Record<Delivery["state"], Look>> = {
  queued: { tone: "sent", label: "En cours" },
  sent: { tone: "posted", label: "Envoyé" },
  delivered: { tone: "completed", label: "Remis" },
  refused: { tone: "declined", label: "Non remis" },
  withdrawn: { tone: "cancelled", label: "Retiré" },
};

export function deliverySentence(delivery: Delivery): string {
  const { kind, state, destination } = delivery;
  const more =
    state === "sent" || state === "delivered"
      ? kind === "code"
        ? "Le texte d’un code n’est jamais conservé."
        : ""
      : deliveryState(delivery);
  return more === "" ? destination : `${destination}. ${more}`;
}

export function deliveryState(delivery: Delivery): string {
  const { state, tries, failure } = delivery;
  const at = delivery.ended_at === null ? "" : ` le ${formatShortInstant(delivery.ended_at)}`;
  switch (state) {
    case "queued":
      return tries === 0
        ? "Envoi en cours"
        : "Le serveur du destinataire fait attendre : nouvel essai bientôt";
    case "sent":
      return `Envoyé${at}`;
    case "delivered":
      return delivery.opened_at === null
        ? `Reçu, envoyé${at}`
        : `Lien ouvert le ${formatShortInstant(delivery.opened_at)}`;
    case "refused":
      return failureWords(failure?.detail);
    case "withdrawn":
      return "Retiré avant l’envoi";
  }
}

/** Undefined when the last message arrived, or still may. */
export function lastFailure(deliveries: readonly Delivery[] | undefined): string | undefined {
  const last = deliveries?.find(({ state }) => state !== "withdrawn");
  return last?.state === "refused" ? failureWords(last.failure?.detail) : undefined;
}

export function isLeaving({ state, tries }: Pick<Delivery, "state" | "tries">): boolean {
  return state === "queued" && tries === 0;
}

/** No server was asked to take the message. */
export function isUnsent({
  state,
  server_answer,
}: Pick<Delivery, "state" | "server_answer">): boolean {
  return state === "refused" && server_answer === null;
}

function failureWords(detail: string | undefined): string {
  return detail === undefined ? "Échec d’envoi" : `Échec d’envoi : ${detail}`;
}

type RecipientState = {
  readonly tone: "signed" | "waiting" | "declined" | "none";
  readonly label: string;
  readonly notes?: readonly string[];
};

const REQUESTS = new Set(["invitation", "reminder", "expiring", "extended"]);

const byDelegation = ({ delegate_name: name }: Recipient): readonly string[] =>
  name ? [`Par ${name}, par délégation`] : [];

export function recipientState(
  recipient: Recipient,
  envelope: Pick<Envelope, "status" | "completed_at" | "returned">,
): RecipientState {
  if (recipient.signed) {
    const label = recipient.role === "approver" ? "Approuvé" : "Signé";
    return {
      tone: "signed",
      label,
      notes: [
        ...(recipient.signed_at ? [formatShortInstant(recipient.signed_at)] : []),
        ...byDelegation(recipient),
      ],
    };
  }
  if (recipient.approved_at !== null)
    return {
      tone: "signed",
      label: "Visa donné",
      notes: [formatShortInstant(recipient.approved_at), ...byDelegation(recipient)],
    };
  if (recipient.status === "declined") {
    return {
      tone: "declined",
      label: "Refusé",
      ...(recipient.decline_reason ? { notes: [recipient.decline_reason] } : {}),
    };
  }
  if (recipient.role === "viewer") return { tone: "none", label: copyLabel(recipient, envelope) };
  if (envelope.status === "draft")
    return {
      tone: "none",
      label: envelope.returned ? "Attend la correction" : "Pas encore invité",
    };
  if (!OPEN_STATUSES.has(envelope.status))
    return {
      tone: "none",
      label: recipient.role === "visa" ? "N’a pas donné son visa" : "N’a pas signé",
    };
  if (recipient.status === "waiting") return { tone: "waiting", label: "En attente de son tour" };
  if (recipient.status === "unreached") return { tone: "waiting", label: "Pas encore prévenu" };
  const notes = recipient.viewed_at
    ? [`Vu le ${formatShortInstant(recipient.viewed_at)}`]
    : linkNotes(recipient);
  return { tone: "waiting", label: "En attente", notes };
}

function copyLabel(
  { status }: Recipient,
  { status: state, completed_at: completed }: Pick<Envelope, "status" | "completed_at">,
): string {
  if (status === "waiting")
    return state === "cancelled" || CLOSED.has(state) ? "Aucune copie" : "Copie à l’achèvement";
  const isReceived = completed !== null && (status === "notified" || status === "viewed");
  return isReceived ? `Reçue le ${formatShortInstant(completed)}` : "Copie";
}

export function isFixedBy(
  { open }: NonNullable<Envelope["circuit"]>,
  { role, order }: Pick<Recipient, "role" | "order">,
): boolean {
  return role !== "signer" || !open.includes(order);
}

export function isCorrectable(envelope: Envelope, { status }: Recipient): boolean {
  const hasAnswered = status === "signed" || status === "approved" || status === "declined";
  return envelope.is_owner && OPEN_STATUSES.has(envelope.status) && !hasAnswered;
}

/** The same address may also receive a copy, or have answered. */
export function isAwaited({ role, status }: Recipient): boolean {
  return (
    role !== "viewer" && (status === "unreached" || status === "notified" || status === "viewed")
  );
}

/** Whom the service invites again when a cancelled envelope is restored. */
export function invitedAnew(envelope: Envelope): readonly Recipient[] {
  const { restores_to: status, flow, recipients } = envelope;
  const left = recipients.filter(
    ({ role, status }) => role !== "viewer" && status !== "signed" && status !== "approved",
  );
  const rank = Math.min(...left.map(({ order }) => order));
  return status !== undefined && OPEN_STATUSES.has(status)
    ? left.filter(({ order }) => flow === "parallel" || order === rank)
    : [];
}

/** What the awaited person is asked to press. */
export function actWords(envelope: Envelope): string {
  return isVisaAwaited(envelope) ? "Donner mon visa" : "Signer";
}

/** « votre visa », where all that awaits the reader is shown and is of one kind. */
export function awaitedAct(count: number, shown: readonly Envelope[]): string | null {
  const kinds = new Set(shown.map(isVisaAwaited));
  if (shown.length < count || kinds.size !== 1) return null;
  return kinds.has(true) ? "votre visa" : "votre signature";
}

/** Others' addresses are empty to a reader who is not the sender. */
function isVisaAwaited({ recipients, is_owner, on_behalf_of: behalf }: Envelope): boolean {
  const awaited = recipients.filter(
    (one) => isAwaited(one) && (behalf ? one.id === behalf.recipient_id : is_owner || one.email),
  );
  return awaited.length > 0 && awaited.every(({ role }) => role === "visa");
}

/** What became of the last link; a reminder does not replace the invitation. */
function linkNotes({ deliveries = [] }: Recipient): readonly string[] {
  const last = deliveries.find(({ kind, state }) => REQUESTS.has(kind) && state !== "withdrawn");
  if (last === undefined) return ["Lien envoyé"];
  const first = deliveries.findLast(
    (delivery) => delivery.kind === "invitation" && hasLeft(delivery),
  );
  if (!first?.ended_at || !isReminder(last) || !hasLeft(last) || last.opened_at !== null)
    return [deliveryState(last)];
  return [
    `Envoyé le ${formatShortInstant(first.ended_at)}`,
    `Rappel le ${formatShortInstant(last.ended_at ?? last.created_at)}`,
  ];
}

/** Null when nobody was reminded. */
export function lastReminder({ recipients }: Pick<Envelope, "recipients">): string | null {
  const times = recipients.flatMap(({ deliveries = [] }) =>
    deliveries
      .filter((delivery) => isReminder(delivery) && hasLeft(delivery))
      .map(({ ended_at, created_at }) => ended_at ?? created_at),
  );
  return times.toSorted().at(-1) ?? null;
}

function isReminder({ kind }: Delivery): boolean {
  return kind === "reminder" || kind === "expiring";
}

function hasLeft({ state }: Delivery): boolean {
  return state === "sent" || state === "delivered";
}
