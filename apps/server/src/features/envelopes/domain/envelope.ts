import {
  type DelegationScope,
  type Field,
  problem,
  type Problem,
  type Role,
  type SignsBefore,
  type StoredStatus,
  type TeamRef,
  whenInWords,
  PURGE_AFTER_DAYS,
  failure,
  success,
  STATUS_LABELS,
  type Result,
} from "@paraphe/contracts";
import { addParisDays } from "@paraphe/kernel/paris-time";
import { foldText } from "@paraphe/kernel/french-words";
import { isBusinessDay } from "@paraphe/kernel/french-calendar";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";

export type Flow = "parallel" | "sequential";
export type PadesLevel = "B-B" | "B-T" | "B-LT" | "B-LTA";
export type RecipientStatus =
  | "waiting"
  | "notified"
  | "viewed"
  | "approved"
  | "signed"
  | "declined";

/** Counts include approvers. */
export type Envelope = {
  readonly id: string;
  readonly version: number;
  readonly ownerId: string;
  /** Its members act and read as the sender. */
  readonly team: TeamRef | null;
  readonly createdByName: string;
  readonly senderName: string;
  readonly title: string;
  /** Of the last sending; a returned draft's `title` may differ. */
  readonly sentTitle: string;
  readonly message: string | null;
  readonly status: StoredStatus;
  readonly statusBeforeCancel: StoredStatus | null;
  readonly flow: Flow;
  readonly signerCount: number;
  readonly signedCount: number;
  readonly level: PadesLevel | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly sentAt: Date | null;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly remindEveryDays: number | null;
  readonly proofOnly: boolean;
  readonly circuit: EnvelopeCircuit | null;
  readonly documentKind: string | null;
};

export type EnvelopeCircuit = {
  readonly id: string;
  readonly name: string;
  readonly imposed: boolean;
  /** Ids of the recipients other than the other party. */
  readonly brought: readonly string[];
  readonly steps: readonly {
    readonly role: Role;
    readonly order: number;
    readonly who: string;
    readonly may_return: boolean;
    readonly may_reassign: boolean;
    /** Business days to answer; null for no limit. */
    readonly days: number | null;
    readonly remind: "eve" | "daily" | null;
  }[];
};

/** Who agreed by delegation; `email` is null unless confirmed. Stored as is. */
export type Delegate = {
  readonly user_id: string;
  readonly delegation_id: string;
  readonly full_name: string;
  readonly email: string | null;
  readonly starts_on: string;
  readonly ends_on: string;
  readonly scope: DelegationScope;
  readonly circuit: string | null;
};

/** `awaited`: asked to sign now. */
export type EnvelopeRecipient = {
  readonly id: string;
  readonly position: number;
  readonly order: number;
  readonly role: Role;
  readonly email: string;
  readonly emailKey: string;
  readonly fullName: string;
  readonly phoneNumber: string | null;
  readonly status: RecipientStatus;
  readonly awaited: boolean;
  readonly notifiedAt: Date | null;
  readonly viewedAt: Date | null;
  readonly signedAt: Date | null;
  readonly approvedAt: Date | null;
  readonly reassignedAt: Date | null;
  /** E-mail key of the person the step was taken from. */
  readonly reassignedFrom: string | null;
  readonly declinedAt: Date | null;
  readonly declineReason: string | null;
  readonly remindedAt: Date | null;
  readonly askedAt: Date | null;
  readonly automaticReminders: number;
  /** Wrong codes since the sender's last reminder. */
  readonly wrongTries: number;
  readonly delegate?: Delegate;
};

/** Places are fractions of the displayed page, origin top left; `page` from 1. */
export type EnvelopeField = Readonly<Omit<Field, "document_id" | "recipient_id">> & {
  readonly documentId: string;
  readonly recipientId: string;
};

export function mustSign(recipient: { readonly role: Role }): boolean {
  return recipient.role === "signer" || recipient.role === "approver";
}

/** A viewer gets copies and never blocks. */
export function mustAct(recipient: { readonly role: Role }): boolean {
  return recipient.role !== "viewer";
}

export function hasAnswered({ status }: { readonly status: RecipientStatus }): boolean {
  return status === "approved" || status === "signed" || status === "declined";
}

/** A committed consent, not sealed yet. */
export type WaitingAct = {
  readonly id: string;
  readonly recipientId: string;
  readonly signedAt: Date;
  readonly failedTries: number;
  readonly lastFailure: string | null;
};

/** Tries for an hour: longer than a usual outage of the time-stamping authority. */
const STUCK_TRIES = 20;
/** Another try with the same file and authority ends the same. */
const FILE_FAILURES: ReadonlySet<string | null> = new Set(["UnsoundSignatureError", "PadesError"]);
const STUCK_FILE_TRIES = 3;
const STUCK_MS = 24 * 3_600_000;

/** Waiting longer is useless: the sender may cancel. */
export function isStuck(act: WaitingAct, now: Date): boolean {
  const tries = FILE_FAILURES.has(act.lastFailure) ? STUCK_FILE_TRIES : STUCK_TRIES;
  return act.failedTries >= tries || now.getTime() - act.signedAt.getTime() >= STUCK_MS;
}

type Routed = Pick<EnvelopeRecipient, "id" | "role" | "order" | "status">;

/** Gives those who have not answered; in a sequential flow, those of the lowest rank. */
export function awaitedRecipients(flow: Flow, recipients: readonly Routed[]): ReadonlySet<string> {
  const open = recipients.filter((recipient) => mustAct(recipient) && !hasAnswered(recipient));
  const rank = Math.min(...open.map((recipient) => recipient.order));
  return new Set(
    open
      .filter((recipient) => flow === "parallel" || recipient.order === rank)
      .map((recipient) => recipient.id),
  );
}

/** Gives who acts before this recipient, in order; nobody in a parallel flow. */
export function signsBefore(
  {
    flow,
    recipients,
  }: {
    readonly flow: Flow;
    readonly recipients: readonly (Routed & Pick<EnvelopeRecipient, "fullName">)[];
  },
  recipientId: string,
): SignsBefore {
  const own = recipients.find((recipient) => recipient.id === recipientId);
  if (own === undefined || flow === "parallel") return { count: 0, names: [] };
  const before = recipients.filter(
    (recipient) => mustAct(recipient) && !hasAnswered(recipient) && recipient.order < own.order,
  );
  const names = before
    .toSorted((one, other) => one.order - other.order)
    .map((recipient) => recipient.fullName);
  const visas = before.filter(({ role }) => role === "visa").length;
  return { count: names.length, ...(visas === 0 ? {} : { visas }), names };
}

/** The rank of whoever prepared the envelope: it becomes a draft again. */
export const PREPARATION = 0;

/**
 * Gives the ranks that this step may return to, in order: none beyond the first signature, since a
 * return annuls them all.
 */
export function returnRanks(
  { flow, recipients }: { readonly flow: Flow; readonly recipients: readonly Routed[] },
  own: Routed,
): readonly number[] {
  if (flow === "parallel") return [PREPARATION];
  const acting = recipients.filter(mustAct);
  const signed = acting.filter(({ status }) => status === "signed").map(({ order }) => order);
  const before = acting.map(({ order }) => order).filter((order) => order < own.order);
  const last = Math.min(...signed);
  const ranks = [...new Set(before)].filter((order) => order <= last);
  return [PREPARATION, ...ranks.sort((one, other) => one - other)];
}

/** A draft that was sent before: its sender corrects it. */
export function isReturned({ status, sentAt }: Pick<Envelope, "status" | "sentAt">): boolean {
  return status === "draft" && sentAt !== null;
}

/** Its recipients were asked, so they are told when it ends. */
export function isAsking(envelope: Pick<Envelope, "status" | "sentAt">): boolean {
  return envelope.status === "sent" || envelope.status === "pending" || isReturned(envelope);
}

/** Refuses another kind for a returned document: the kind imposes its circuit. Errors: `validation`. */
export function checkKind(
  { documentKind, ...envelope }: Pick<Envelope, "status" | "sentAt" | "documentKind">,
  kind: string | null,
): Result<null> {
  return isReturned(envelope) &&
    documentKind !== null &&
    foldText(kind ?? "") !== foldText(documentKind)
    ? failure(
        problem("validation", {
          errors: { document_kind: ["Le genre d’un document renvoyé ne change plus"] },
        }),
      )
    : success(null);
}

/** The refusal of a recipient's call while the sender corrects the document. */
export function inCorrection({ senderName }: Pick<Envelope, "senderName">): Problem {
  return problem("not_your_turn", {
    params: {
      when: `une fois le document corrigé par ${senderName}\u00a0: les visas et signatures donnés avant son renvoi sont annulés`,
    },
    extensions: { sent_back: `Renvoyé à ${senderName}` },
  });
}

function stepOf(
  { circuit }: Pick<Envelope, "circuit">,
  { role, order }: Pick<Routed, "role" | "order">,
) {
  return circuit?.steps.find((step) => step.order === order && step.role === role);
}

type Timed = Pick<EnvelopeRecipient, "role" | "order" | "notifiedAt" | "reassignedAt"> & {
  /** Left out: the person is asked now. */
  readonly status?: RecipientStatus;
};

/** Terms of a step with a limit or reminders; `dueDay` is its last day, once it was asked for. */
export type StepTerms = {
  readonly days: number | null;
  readonly remind: "eve" | "daily" | null;
  readonly dueDay: string | null;
};

export function stepTerms(envelope: Pick<Envelope, "circuit">, recipient: Timed): StepTerms | null {
  const { days = null, remind = null } = stepOf(envelope, recipient) ?? {};
  if (days === null && remind === null) return null;
  const { reassignedAt } = recipient;
  // A return resets the status: the limit begins with the next request.
  const notifiedAt = recipient.status === "waiting" ? null : recipient.notifiedAt;
  const since =
    reassignedAt !== null && notifiedAt !== null && reassignedAt > notifiedAt
      ? reassignedAt
      : notifiedAt;
  if (days === null || since === null) return { days, remind, dueDay: null };
  let dueDay = parisDay(since);
  for (let left = days; left > 0; left -= isBusinessDay(dueDay) ? 1 : 0)
    dueDay = addDays(dueDay, 1);
  return { days, remind, dueDay };
}

type StepRights = { readonly may_return: boolean; readonly may_reassign: boolean };

export function stepRights(
  envelope: Pick<Envelope, "circuit">,
  recipient: Pick<Routed, "role" | "order">,
): StepRights {
  const isVisa = recipient.role === "visa";
  return stepOf(envelope, recipient) ?? { may_return: isVisa, may_reassign: isVisa };
}

/** Says whether each step of the circuit has a recipient. */
export function followsCircuit(
  { steps }: EnvelopeCircuit,
  recipients: readonly Pick<Routed, "role" | "order">[],
): boolean {
  const places = (all: readonly Pick<Routed, "role" | "order">[]) =>
    new Set(all.map(({ role, order }) => `${order} ${role}`));
  return places(steps).isSubsetOf(places(recipients));
}

export function isBrought(
  circuit: {
    readonly steps: readonly (Pick<Routed, "role" | "order"> & { readonly who: string })[];
    readonly brought?: readonly string[];
  } | null,
  place: Pick<Routed, "role" | "order"> & { readonly id: string },
): boolean {
  if (circuit?.brought?.includes(place.id)) return true;
  const there = (circuit?.steps ?? []).filter(
    ({ role, order }) => role === place.role && order === place.order,
  );
  return there.length > 0 && there.every(({ who }) => who !== "other_party");
}

/** Names people, so only authenticated recipients get it. */
export function notYourTurn(before: SignsBefore): Problem {
  return problem("not_your_turn", { params: { when: whenInWords(before) } });
}

export function daysRemaining(cancelledAt: Date, now: Date): number {
  for (let elapsed = PURGE_AFTER_DAYS; elapsed > 0; elapsed--) {
    if (addParisDays(cancelledAt, elapsed) <= now) return PURGE_AFTER_DAYS - elapsed;
  }
  return PURGE_AFTER_DAYS;
}

/**
 * `remind` includes resending and correcting an address; `adjust`: deadline and reminders; `erase`:
 * end of retention; `erase_account`: completed envelopes stay.
 */
export type EnvelopeAction =
  | "update"
  | "send"
  | "remind"
  | "extend"
  | "adjust"
  | "request_extension"
  | "sign"
  | "give_visa"
  | "send_back"
  | "reassign"
  | "decline"
  | "expire"
  | "cancel"
  | "restore"
  | "purge"
  | "erase"
  | "erase_account";

export type EnvelopeActor = "sender" | "signer" | "copy" | "service";

/**
 * A status, or `progress` (`pending`, then `completed`), `before` (the status before cancellation),
 * `open` (`sent` or `pending`), `back` (`draft` for its sender, `sent` for another), `purged`.
 */
export type Outcome = StoredStatus | "same" | "progress" | "before" | "open" | "back" | "purged";

type Rule = {
  readonly by: readonly EnvelopeActor[];
  readonly from: Readonly<Partial<Record<StoredStatus, Outcome>>>;
};

/** Every other transition is refused. Source: contract §4, 'Statuses'. */
export const TRANSITIONS: Readonly<Record<EnvelopeAction, Rule>> = {
  update: { by: ["sender"], from: { draft: "same" } },
  send: { by: ["sender"], from: { draft: "sent" } },
  remind: { by: ["sender", "service"], from: { sent: "same", pending: "same" } },
  extend: { by: ["sender"], from: { sent: "same", pending: "same", expired: "open" } },
  adjust: { by: ["sender"], from: { sent: "same", pending: "same" } },
  request_extension: { by: ["signer"], from: { sent: "same", pending: "same", expired: "same" } },
  sign: { by: ["signer"], from: { sent: "progress", pending: "progress" } },
  give_visa: { by: ["signer"], from: { sent: "same", pending: "same" } },
  send_back: { by: ["signer"], from: { sent: "back", pending: "back" } },
  reassign: { by: ["signer"], from: { sent: "same", pending: "same" } },
  decline: { by: ["signer"], from: { sent: "declined", pending: "declined" } },
  expire: { by: ["service"], from: { sent: "expired", pending: "expired" } },
  cancel: {
    by: ["sender"],
    from: {
      draft: "cancelled",
      sent: "cancelled",
      pending: "cancelled",
      completed: "cancelled",
      declined: "cancelled",
      expired: "cancelled",
    },
  },
  restore: { by: ["sender"], from: { cancelled: "before" } },
  purge: { by: ["sender", "service"], from: { cancelled: "purged" } },
  erase: { by: ["service"], from: { completed: "purged", declined: "purged", expired: "purged" } },
  erase_account: {
    by: ["service"],
    from: {
      draft: "purged",
      sent: "purged",
      pending: "purged",
      declined: "purged",
      expired: "purged",
      cancelled: "purged",
    },
  },
};

export type Attempt = {
  readonly status: StoredStatus;
  readonly action: EnvelopeAction;
  readonly actor: EnvelopeActor;
};

/**
 * Errors: `not_found` for what the recipient may not see; `not_allowed`; `not_a_signer` and
 * `viewer_cannot_sign`.
 */
export function checkActor({ status, action, actor }: Attempt): Result<null> {
  const isRecipient = actor === "signer" || actor === "copy";
  if (isRecipient && (status === "draft" || status === "cancelled"))
    return failure(problem("not_found"));
  const { by } = TRANSITIONS[action];
  if (by.includes(actor)) return success(null);
  if (!by.includes("signer")) return failure(problem("not_allowed"));
  return failure(problem(actor === "copy" ? "viewer_cannot_sign" : "not_a_signer"));
}

/** Errors: `invalid_state` with the status. */
export function outcomeOf(status: StoredStatus, action: EnvelopeAction): Result<Outcome> {
  const outcome = TRANSITIONS[action].from[status];
  return outcome === undefined ? failure(invalidState(status)) : success(outcome);
}

export function invalidState(status: StoredStatus): Problem {
  return problem("invalid_state", {
    params: { state: STATUS_LABELS[status] },
    extensions: { state: status },
  });
}
