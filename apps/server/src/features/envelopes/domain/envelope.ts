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
} from "@paraphe/contracts";
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

/** `signerCount` and `signedCount` count signers and approvers. */
export type Envelope = {
  readonly id: string;
  readonly version: number;
  readonly ownerId: string;
  /** Whose members act and read as its sender. */
  readonly team: TeamRef | null;
  readonly createdByName: string;
  readonly title: string;
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
  /** As it was when it was chosen. */
  readonly circuit: EnvelopeCircuit | null;
  readonly documentKind: string | null;
};

export type EnvelopeCircuit = {
  readonly id: string;
  readonly name: string;
  readonly imposed: boolean;
  /** `order`: the rank of its recipients. */
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

/** Who agreed for a recipient, by delegation; `email`: null unless confirmed. Stored as it is. */
export type Delegate = {
  readonly user_id: string;
  readonly delegation_id: string;
  readonly full_name: string;
  readonly email: string | null;
  readonly starts_on: string;
  readonly ends_on: string;
  readonly scope: DelegationScope;
  /** Its name. */
  readonly circuit: string | null;
};

/** `awaited`: this person's signature is asked for now. */
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
  /** E-mail key of who had the step before. */
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

/**
 * A place for one recipient, in fractions of the displayed page, origin top left; `page` from 1.
 */
export type EnvelopeField = Readonly<Omit<Field, "document_id" | "recipient_id">> & {
  readonly documentId: string;
  readonly recipientId: string;
};

/** Says whether this role signs the file. */
export function mustSign(recipient: { readonly role: Role }): boolean {
  return recipient.role === "signer" || recipient.role === "approver";
}

/** Says whether this role is waited for: a viewer gets copies and never blocks. */
export function mustAct(recipient: { readonly role: Role }): boolean {
  return recipient.role !== "viewer";
}

export function hasAnswered({ status }: { readonly status: RecipientStatus }): boolean {
  return status === "approved" || status === "signed" || status === "declined";
}

/** A committed consent that is not sealed yet. */
export type WaitingAct = {
  readonly id: string;
  readonly recipientId: string;
  readonly signedAt: Date;
  readonly failedTries: number;
};

/** More than an hour of retries: longer than a usual outage of the time-stamping authority. */
const STUCK_TRIES = 20;
const STUCK_MS = 24 * 3_600_000;

/** Says whether waiting is useless: the sender may then cancel. */
export function isStuck(act: WaitingAct, now: Date): boolean {
  return act.failedTries >= STUCK_TRIES || now.getTime() - act.signedAt.getTime() >= STUCK_MS;
}

type Routed = Pick<EnvelopeRecipient, "id" | "role" | "order" | "status">;

/** Gives all who have not answered; in a sequential flow, those of the lowest such rank. */
export function awaitedRecipients(flow: Flow, recipients: readonly Routed[]): ReadonlySet<string> {
  const open = recipients.filter((recipient) => mustAct(recipient) && !hasAnswered(recipient));
  const rank = Math.min(...open.map((recipient) => recipient.order));
  return new Set(
    open
      .filter((recipient) => flow === "parallel" || recipient.order === rank)
      .map((recipient) => recipient.id),
  );
}

/** Gives those who act before this recipient, in order; nobody in a parallel flow. */
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

/**
 * Gives the ranks that this step may be sent back to, in order. Every signature of the version is
 * annulled, so none lies beyond the first signature.
 */
export function returnRanks(
  { flow, recipients }: { readonly flow: Flow; readonly recipients: readonly Routed[] },
  own: Routed,
): readonly number[] {
  if (flow === "parallel") return [];
  const acting = recipients.filter(mustAct);
  const signed = acting.filter(({ status }) => status === "signed").map(({ order }) => order);
  const before = acting.map(({ order }) => order).filter((order) => order < own.order);
  const last = Math.min(...signed);
  return [...new Set(before)].filter((order) => order <= last).sort((one, other) => one - other);
}

function stepOf(
  { circuit }: Pick<Envelope, "circuit">,
  { role, order }: Pick<Routed, "role" | "order">,
) {
  return circuit?.steps.find((step) => step.order === order && step.role === role);
}

type Timed = Pick<EnvelopeRecipient, "role" | "order" | "notifiedAt" | "reassignedAt">;

/** Terms of a step with a limit or reminders; `dueDay`: its last day, once it was asked for. */
export type StepTerms = {
  readonly days: number | null;
  readonly remind: "eve" | "daily" | null;
  readonly dueDay: string | null;
};

export function stepTerms(envelope: Pick<Envelope, "circuit">, recipient: Timed): StepTerms | null {
  const { days = null, remind = null } = stepOf(envelope, recipient) ?? {};
  if (days === null && remind === null) return null;
  const { notifiedAt, reassignedAt } = recipient;
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

/** What whoever has this step may do besides: as its circuit says, else only a visa's. */
export function stepRights(
  envelope: Pick<Envelope, "circuit">,
  recipient: Pick<Routed, "role" | "order">,
): StepRights {
  const isVisa = recipient.role === "visa";
  return stepOf(envelope, recipient) ?? { may_return: isVisa, may_reassign: isVisa };
}

/** Says whether the recipients are those of the circuit's steps, in their order. */
export function followsCircuit(
  { steps }: EnvelopeCircuit,
  recipients: readonly Pick<Routed, "role" | "order">[],
): boolean {
  const places = (all: readonly Pick<Routed, "role" | "order">[]) =>
    new Set(all.map(({ role, order }) => `${order} ${role}`));
  return places(steps).symmetricDifference(places(recipients)).size === 0;
}

/**
 * Gives the refusal of an act before one's turn. It names people: only for authenticated
 * recipients.
 */
export function notYourTurn(before: SignsBefore): Problem {
  return problem("not_your_turn", { params: { when: whenInWords(before) } });
}
