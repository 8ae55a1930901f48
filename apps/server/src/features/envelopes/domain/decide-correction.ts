import { failure, problem, REMIND_INTERVAL_S, type Result, success } from "@paraphe/contracts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { personKey } from "./person-key.ts";
import { outcomeOf } from "./transitions.ts";

type Subject = { readonly envelope: Pick<Envelope, "status" | "deadlineAt">; readonly recipients: readonly EnvelopeRecipient[] };
type Asked = {
  readonly recipientId: string;
  readonly now: Date;
  /** Whose consent waits to be sealed. */
  readonly consenting: ReadonlySet<string>;
  /** The last message to them was refused by its server. */
  readonly lastRefused?: boolean;
};

/** What to change of a recipient; null when the correction changes nothing. */
export type Correction = {
  readonly recipient: EnvelopeRecipient;
  readonly change: {
    readonly email: string;
    readonly emailKey: string;
    readonly phoneNumber: string | null;
    readonly newAddress: boolean;
  } | null;
};

/**
 * Says what a correction of a recipient's address changes. Who opened the link before does not matter: a link that went astray is the
 * very case, and what it opened is void.
 * Errors: `invalid_state`, `deadline_passed`, `not_found`, `recipient_answered`, `signature_in_progress`, `validation` for a person who is there already.
 */
export function decideCorrection(
  subject: Subject,
  asked: Asked & {
    readonly email: { readonly value: string; readonly key: string } | null;
    readonly phoneNumber: string | null | undefined;
  },
): Result<Correction> {
  const open = openRecipient(subject, asked);
  if (!open.ok) return open;
  const recipient = open.value;
  const email = asked.email ?? { value: recipient.email, key: recipient.emailKey };
  const phoneNumber = asked.phoneNumber === undefined ? recipient.phoneNumber : asked.phoneNumber;
  if (email.value === recipient.email && phoneNumber === recipient.phoneNumber) return success({ recipient, change: null });
  const person = personKey({ ...recipient, emailKey: email.key });
  const twin = subject.recipients.some((other) => other.id !== recipient.id && personKey(other) === person);
  if (twin) return failure(problem("validation", { errors: { email: ["Cette personne figure déjà parmi les destinataires"] } }));
  return success({
    recipient,
    change: { email: email.value, emailKey: email.key, phoneNumber, newAddress: email.value !== recipient.email },
  });
}

/**
 * Says whether a recipient may be asked again, now.
 * Errors: `invalid_state`, `deadline_passed`, `not_found`, `recipient_answered`, `signature_in_progress`, `recipient_not_awaited`, `remind_cooldown`.
 */
export function decideResend(subject: Subject, asked: Asked): Result<EnvelopeRecipient> {
  const open = openRecipient(subject, asked);
  if (!open.ok) return open;
  const recipient = open.value;
  if (!recipient.awaited) return failure(problem("recipient_not_awaited"));
  // Nothing reached them: there is nobody to spare.
  if (asked.lastRefused === true) return success(recipient);
  const againAt = (recipient.remindedAt?.getTime() ?? -Infinity) + REMIND_INTERVAL_S * 1_000;
  const waitS = Math.ceil((againAt - asked.now.getTime()) / 1_000);
  return waitS > 0 ? failure(problem("remind_cooldown", { retryAfterS: waitS })) : success(recipient);
}

function openRecipient({ envelope, recipients }: Subject, { recipientId, now, consenting }: Asked): Result<EnvelopeRecipient> {
  const recipient = recipients.find((candidate) => candidate.id === recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  const outcome = outcomeOf(envelope.status, "remind");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now) return failure(problem("deadline_passed"));
  if (recipient.status === "signed" || recipient.status === "declined") return failure(problem("recipient_answered"));
  if (consenting.has(recipientId)) return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  return success(recipient);
}
