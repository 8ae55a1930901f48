import { failure, problem, REMIND_INTERVAL_S, type Result, success } from "@paraphe/contracts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { outcomeOf } from "./transitions.ts";

type Reminding = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt">;
  readonly recipients: readonly EnvelopeRecipient[];
  /** Whose consent waits to be sealed: they have nothing left to do. */
  readonly consenting: ReadonlySet<string>;
  /** By whose address one tells the sender among them. */
  readonly senderKey: string;
};

/**
 * Gives who is to be reminded: those whose signature is awaited, who have not agreed yet and were not reminded within the hour. The sender, who asks for it,
 * is only where nobody else is awaited.
 * Errors: `invalid_state`; `deadline_passed`; `signature_in_progress` when everybody has agreed; `remind_cooldown` when everybody left was reminded
 * within the hour, with the time until the first may be again.
 */
export function decideReminders(
  { envelope, recipients, consenting, senderKey }: Reminding,
  now: Date,
): Result<readonly EnvelopeRecipient[]> {
  const outcome = outcomeOf(envelope.status, "remind");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now) return failure(problem("deadline_passed"));
  const awaited = recipients.filter((recipient) => recipient.awaited && !consenting.has(recipient.id));
  if (awaited.length === 0) return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  const asked = besideSender(awaited, senderKey);
  const due = asked.filter((recipient) => restsUntil(recipient) <= now.getTime());
  if (due.length > 0) return success(due);
  const waitMs = Math.min(...asked.map(restsUntil)) - now.getTime();
  return failure(problem("remind_cooldown", { retryAfterS: Math.ceil(waitMs / 1000) }));
}

/** Gives from when somebody may be reminded again, or null when that is now or nobody is awaited. */
export function remindableAt({ recipients, senderKey }: Pick<Reminding, "recipients" | "senderKey">, now: Date): Date | null {
  const awaited = recipients.filter((recipient) => recipient.awaited);
  const at = Math.min(...besideSender(awaited, senderKey).map(restsUntil));
  return awaited.length > 0 && at > now.getTime() ? new Date(at) : null;
}

function besideSender(awaited: readonly EnvelopeRecipient[], senderKey: string): readonly EnvelopeRecipient[] {
  const others = awaited.filter((recipient) => recipient.emailKey !== senderKey);
  return others.length > 0 ? others : awaited;
}

function restsUntil({ remindedAt }: EnvelopeRecipient): number {
  return remindedAt === null ? 0 : remindedAt.getTime() + REMIND_INTERVAL_S * 1000;
}
