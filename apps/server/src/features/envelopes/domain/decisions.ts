import {
  REMIND_INTERVAL_S,
  type Result,
  type StoredStatus,
  type UpdateEnvelopeRequest,
  failure,
  firstUnprinted,
  problem,
  success,
} from "@paraphe/contracts";
import { personKey, unprintable } from "./draft-checks.ts";
import {
  type Envelope,
  type EnvelopeRecipient,
  awaitedRecipients,
  hasAnswered,
  isBrought,
  stepRights,
  mustAct,
  mustSign,
  notYourTurn,
  PREPARATION,
  returnRanks,
  signsBefore,
  outcomeOf,
  invalidState,
} from "./envelope.ts";
import { purgeAt } from "./deadlines.ts";

export type SignatureDecision = {
  readonly status: "pending" | "completed";
  readonly signedCount: number;
  readonly awaited: ReadonlySet<string>;
  readonly toInvite: ReadonlySet<string>;
};

type Signing = {
  readonly envelope: Pick<Envelope, "status" | "flow" | "signerCount" | "signedCount">;
  readonly recipients: readonly EnvelopeRecipient[];
};

/**
 * The deadline was checked when the consent was committed.
 * Errors: `invalid_state`, `not_found`, `already_signed`.
 */
export function decideSignature(
  { envelope, recipients }: Signing,
  recipientId: string,
): Result<SignatureDecision> {
  const outcome = outcomeOf(envelope.status, "sign");
  if (!outcome.ok) return outcome;
  const signer = recipients.find((recipient) => recipient.id === recipientId);
  if (signer === undefined || !mustSign(signer)) return failure(problem("not_found"));
  if (signer.status === "signed") return failure(problem("already_signed"));
  const after = recipients.map((recipient) =>
    recipient.id === recipientId ? { ...recipient, status: "signed" as const } : recipient,
  );
  const awaited = awaitedRecipients(envelope.flow, after);
  const signedCount = envelope.signedCount + 1;
  const uninvited = after.filter(
    (recipient) => awaited.has(recipient.id) && isUninvited(recipient),
  );
  return success({
    status: signedCount >= envelope.signerCount ? "completed" : "pending",
    signedCount,
    awaited,
    toInvite: new Set(uninvited.map((recipient) => recipient.id)),
  });
}

/** Those invited before a return are invited again. */
function isUninvited({ notifiedAt, status }: EnvelopeRecipient): boolean {
  return notifiedAt === null || status === "waiting";
}

type Answering = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt" | "flow" | "circuit">;
  readonly recipients: readonly EnvelopeRecipient[];
};
type Answer = { readonly recipientId: string; readonly now: Date };

export type VisaDecision = Pick<SignatureDecision, "awaited" | "toInvite"> & {
  readonly recipient: EnvelopeRecipient;
};

/**
 * A visa never completes the envelope: a signature follows.
 * Errors: those of `openTurn`; `other_act_asked` for a signer.
 */
export function decideVisa(subject: Answering, answer: Answer): Result<VisaDecision> {
  const turn = openTurn(subject, { ...answer, action: "give_visa" });
  if (!turn.ok) return turn;
  if (turn.value.role !== "visa")
    return failure(problem("other_act_asked", { params: { act: "une signature, non un visa" } }));
  const after = subject.recipients.map((recipient) =>
    recipient.id === answer.recipientId ? { ...recipient, status: "approved" as const } : recipient,
  );
  const awaited = awaitedRecipients(subject.envelope.flow, after);
  const uninvited = after.filter((one) => awaited.has(one.id) && isUninvited(one));
  return success({
    recipient: turn.value,
    awaited,
    toInvite: new Set(uninvited.map(({ id }) => id)),
  });
}

export type SendBackDecision = {
  readonly recipient: EnvelopeRecipient;
  readonly status: "draft" | "sent";
  readonly reset: ReadonlySet<string>;
  readonly annulled: readonly string[];
  readonly annulledVisas: readonly string[];
  readonly awaited: ReadonlySet<string>;
};
type StepAnswer = Answer & { readonly consenting: ReadonlySet<string> };

/**
 * Returns to an earlier step, or to the sender. Errors: those of `openTurn`; `not_allowed`;
 * `signature_in_progress`; `validation` on `order`.
 */
export function decideSendBack(
  { envelope, recipients }: Answering,
  { order, consenting, ...answer }: StepAnswer & { readonly order: number },
): Result<SendBackDecision> {
  const turn = openTurn({ envelope, recipients }, { ...answer, action: "send_back" });
  if (!turn.ok) return turn;
  if (!stepRights(envelope, turn.value).may_return) return failure(problem("not_allowed"));
  if (consenting.size > 0) return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  if (!returnRanks({ flow: envelope.flow, recipients }, turn.value).includes(order))
    return failure(
      problem("validation", { errors: { order: ["Choisissez une étape précédente"] } }),
    );
  const reset = recipients.filter((one) => mustAct(one) && one.order >= order);
  const ids = new Set(reset.map(({ id }) => id));
  const after = recipients.map((one) =>
    ids.has(one.id) ? { ...one, status: "waiting" as const } : one,
  );
  return success({
    recipient: turn.value,
    reset: ids,
    annulled: reset.filter(({ status }) => status === "signed").map(({ id }) => id),
    annulledVisas: reset.filter(({ status }) => status === "approved").map(({ id }) => id),
    ...(order === PREPARATION
      ? { status: "draft", awaited: new Set<string>() }
      : { status: "sent", awaited: awaitedRecipients(envelope.flow, after) }),
  });
}

type Person = { readonly email: string; readonly emailKey: string; readonly fullName: string };

/**
 * Gives the step to somebody else. Errors: those of `openTurn`; `not_allowed`;
 * `signature_in_progress`; `validation` for somebody in the envelope
 * or a name without glyphs.
 */
export function decideReassign(
  subject: Answering,
  { person, consenting, ...answer }: StepAnswer & { readonly person: Person },
): Result<EnvelopeRecipient> {
  const turn = openTurn(subject, { ...answer, action: "reassign" });
  if (!turn.ok) return turn;
  if (!stepRights(subject.envelope, turn.value).may_reassign)
    return failure(problem("not_allowed"));
  if (consenting.has(answer.recipientId))
    return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  return checkSuccessor(subject.recipients, { ...turn.value, ...person }, "email") ?? turn;
}

function checkSuccessor(
  others: Answering["recipients"],
  person: Person & Pick<EnvelopeRecipient, "role">,
  changed: "email" | "full_name",
): Result<never> | null {
  const character = mustSign(person) ? firstUnprinted(person.fullName) : null;
  const errors = {
    ...(character === null ? {} : { full_name: [unprintable(character)] }),
    ...(others.some((one) => personKey(one) === personKey(person))
      ? { [changed]: ["Cette personne figure déjà parmi les destinataires"] }
      : {}),
  };
  return Object.keys(errors).length > 0 ? failure(problem("validation", { errors })) : null;
}

/** Errors: those of `openTurn`. */
export function decideDecline(subject: Answering, answer: Answer): Result<EnvelopeRecipient> {
  return openTurn(subject, { ...answer, action: "decline" });
}

/**
 * Gives the recipient who may answer now.
 * Errors: `not_found`, `viewer_cannot_sign`, `already_signed`, `visa_given`, `not_your_turn`,
 * `deadline_passed`, `invalid_state`.
 */
function openTurn(
  { envelope, recipients }: Answering,
  request: Answer & { readonly action: "give_visa" | "send_back" | "reassign" | "decline" },
): Result<EnvelopeRecipient> {
  const recipient = recipients.find((candidate) => candidate.id === request.recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (recipient.status === "signed") return failure(problem("already_signed"));
  if (recipient.status === "approved") return failure(problem("visa_given"));
  const outcome = outcomeOf(envelope.status, request.action);
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= request.now)
    return failure(problem("deadline_passed"));
  return recipient.awaited
    ? success(recipient)
    : failure(notYourTurn(signsBefore({ flow: envelope.flow, recipients }, recipient.id)));
}

type Cancelled = Pick<Envelope, "status" | "statusBeforeCancel" | "cancelledAt" | "deadlineAt">;

/**
 * Gives the status before cancellation, or `expired` past the deadline.
 * Errors: `invalid_state`, also after 10 days.
 */
export function decideRestore(envelope: Cancelled, now: Date): Result<StoredStatus> {
  const outcome = outcomeOf(envelope.status, "restore");
  if (!outcome.ok) return outcome;
  const { statusBeforeCancel, cancelledAt, deadlineAt } = envelope;
  if (statusBeforeCancel === null || cancelledAt === null || purgeAt(cancelledAt) <= now)
    return failure(invalidState(envelope.status));
  const wasOpen = statusBeforeCancel === "sent" || statusBeforeCancel === "pending";
  return success(
    wasOpen && deadlineAt !== null && deadlineAt <= now ? "expired" : statusBeforeCancel,
  );
}

type Subject = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt" | "circuit">;
  readonly recipients: readonly EnvelopeRecipient[];
};
type Asked = {
  readonly recipientId: string;
  readonly now: Date;
  /** Recipients whose consent is not sealed yet. */
  readonly consenting: ReadonlySet<string>;
  readonly lastRefused?: boolean;
};

export type Correction = {
  readonly recipient: EnvelopeRecipient;
  readonly change: {
    readonly fullName: string;
    readonly email: string;
    readonly emailKey: string;
    readonly phoneNumber: string | null;
    readonly newAddress: boolean;
  } | null;
};

/**
 * Serves also after the link was opened: the wrong person may have it.
 * Errors: `invalid_state`, `deadline_passed`, `not_found`, `recipient_answered`,
 * `signature_in_progress`, `step_imposed`; `validation` for a duplicate person.
 */
export function decideCorrection(
  subject: Subject,
  asked: Asked & {
    readonly fullName?: string | undefined;
    readonly email: { readonly value: string; readonly key: string } | null;
    readonly phoneNumber: string | null | undefined;
  },
): Result<Correction> {
  const open = openRecipient(subject, asked);
  if (!open.ok) return open;
  const recipient = open.value;
  const email = asked.email ?? { value: recipient.email, key: recipient.emailKey };
  const phoneNumber = asked.phoneNumber === undefined ? recipient.phoneNumber : asked.phoneNumber;
  const { fullName = recipient.fullName } = asked;
  const isOther = fullName !== recipient.fullName || email.value !== recipient.email;
  if (!isOther && phoneNumber === recipient.phoneNumber)
    return success({ recipient, change: null });
  const { circuit } = subject.envelope;
  if (isOther && circuit?.imposed && isBrought(circuit, recipient))
    return failure(problem("step_imposed"));
  const refusal = checkSuccessor(
    subject.recipients.filter(({ id }) => id !== recipient.id),
    { ...recipient, fullName, email: email.value, emailKey: email.key },
    email.value === recipient.email ? "full_name" : "email",
  );
  if (refusal !== null) return refusal;
  return success({
    recipient,
    change: {
      fullName,
      email: email.value,
      emailKey: email.key,
      phoneNumber,
      newAddress: email.value !== recipient.email,
    },
  });
}

/**
 * Errors: `invalid_state`, `deadline_passed`, `not_found`, `recipient_answered`,
 * `signature_in_progress`, `recipient_not_awaited`, `remind_cooldown`.
 */
export function decideResend(subject: Subject, asked: Asked): Result<EnvelopeRecipient> {
  const open = openRecipient(subject, asked);
  if (!open.ok) return open;
  const recipient = open.value;
  if (!recipient.awaited) return failure(problem("recipient_not_awaited"));
  // No message arrived, so no wait is due.
  if (asked.lastRefused === true) return success(recipient);
  const againAt = (recipient.remindedAt?.getTime() ?? -Infinity) + REMIND_INTERVAL_S * 1_000;
  const waitS = Math.ceil((againAt - asked.now.getTime()) / 1_000);
  return waitS > 0
    ? failure(problem("remind_cooldown", { retryAfterS: waitS }))
    : success(recipient);
}

/** One who may still answer. Errors: as `decideResend`, without its cooldown. */
export function openRecipient(
  { envelope, recipients }: Subject,
  { recipientId, now, consenting }: Asked,
): Result<EnvelopeRecipient> {
  const recipient = recipients.find((candidate) => candidate.id === recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  const outcome = outcomeOf(envelope.status, "remind");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now)
    return failure(problem("deadline_passed"));
  if (hasAnswered(recipient)) return failure(problem("recipient_answered"));
  if (consenting.has(recipientId))
    return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  return success(recipient);
}

/** An event at each pause in typing would bury the others. */
const REST_MS = 15 * 60_000;
const ALWAYS: readonly Part[] = [
  "files",
  "remove_documents",
  "order",
  "accept_normalised",
  "use_forms",
  "document_names",
  "recipients",
];

type Part = keyof UpdateEnvelopeRequest | "files";
type DraftUpdate = {
  readonly parts: readonly Part[];
  readonly lastRecordedAt: Date | null;
};

/**
 * Says whether the journal records this update: files and people always, the rest once a quarter of
 * an hour.
 */
export function isUpdateRecorded({ parts, lastRecordedAt }: DraftUpdate, now: Date): boolean {
  if (parts.some((part) => ALWAYS.includes(part))) return true;
  return lastRecordedAt === null || now.getTime() - lastRecordedAt.getTime() >= REST_MS;
}
