import { failure, problem, REMIND_INTERVAL_S, type Result, success } from "@paraphe/contracts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { outcomeOf } from "./transitions.ts";

type Reminding = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt">;
  readonly recipients: readonly EnvelopeRecipient[];
  /** Whose consent waits to be sealed: they have nothing left to do. */
  readonly consenting: ReadonlySet<string>;
};

/**
 * Gives who is to be reminded: those whose signature is awaited, who have not agreed yet and were not reminded within the hour.
 * Errors: `invalid_state`; `deadline_passed`; `signature_in_progress` when everybody has agreed; `remind_cooldown` when everybody left was reminded
 * within the hour, with the time until the first may be again.
 */
export function decideReminders({ envelope, recipients, consenting }: Reminding, now: Date): Result<readonly EnvelopeRecipient[]> {
  const outcome = outcomeOf(envelope.status, "remind");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now) return failure(problem("deadline_passed"));
  const awaited = recipients.filter((recipient) => recipient.awaited && !consenting.has(recipient.id));
  if (awaited.length === 0) return failure(problem("signature_in_progress", { retryAfterS: 5 }));
  const due = awaited.filter((recipient) => restsUntil(recipient) <= now.getTime());
  if (due.length > 0) return success(due);
  const waitMs = Math.min(...awaited.map(restsUntil)) - now.getTime();
  return failure(problem("remind_cooldown", { retryAfterS: Math.ceil(waitMs / 1000) }));
}

/** Gives from when somebody may be reminded again, or null when that is now or nobody is awaited. */
export function remindableAt(recipients: readonly EnvelopeRecipient[], now: Date): Date | null {
  const awaited = recipients.filter((recipient) => recipient.awaited);
  const at = Math.min(...awaited.map(restsUntil));
  return awaited.length > 0 && at > now.getTime() ? new Date(at) : null;
}

function restsUntil({ remindedAt }: EnvelopeRecipient): number {
  return remindedAt === null ? 0 : remindedAt.getTime() + REMIND_INTERVAL_S * 1000;
}
