import { EXTENSION_REQUEST_INTERVAL_S, failure, problem, type Result, type StoredStatus, success } from "@paraphe/contracts";
import { deadlineErrors } from "./draft-checks.ts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { extendedDeadline } from "./extended-deadline.ts";
import { awaitedRecipients } from "./routing.ts";
import { outcomeOf } from "./transitions.ts";

type Subject = {
  readonly envelope: Pick<Envelope, "status" | "flow" | "deadlineAt" | "signedCount">;
  readonly recipients: readonly EnvelopeRecipient[];
};

/** What a longer deadline makes of an envelope; `reopened`: it had passed, and nobody could sign. */
export type Extension = {
  readonly deadlineAt: Date;
  readonly status: StoredStatus;
  readonly awaited: ReadonlySet<string>;
  readonly reopened: boolean;
};

/**
 * Decides a longer deadline, a week more when no date is asked for. An envelope that had expired is what it was before: some had signed, or nobody yet.
 * Errors: `invalid_state`; `no_deadline`; `validation` of one that is not in the future, too far, or no later than the one there is.
 */
export function decideExtension(
  { envelope, recipients }: Subject,
  asked: { readonly deadlineAt: Date | null; readonly now: Date },
): Result<Extension> {
  const outcome = outcomeOf(envelope.status, "extend");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt === null) return failure(problem("no_deadline"));
  const deadlineAt = asked.deadlineAt ?? extendedDeadline(envelope.deadlineAt, asked.now);
  const errors = deadlineErrors({ deadlineAt, now: asked.now });
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  if (deadlineAt <= envelope.deadlineAt)
    return failure(problem("validation", { errors: { deadline_at: ["Choisissez une date après l’échéance actuelle"] } }));
  const wasOpen = envelope.signedCount > 0 ? "pending" : "sent";
  return success({
    deadlineAt,
    status: outcome.value === "open" ? wasOpen : envelope.status,
    awaited: awaitedRecipients(envelope.flow, recipients),
    reopened: envelope.status === "expired" || envelope.deadlineAt <= asked.now,
  });
}

/**
 * Says whether the sender is to be told that a recipient wishes for a longer deadline: once a day, whoever asks.
 * Errors: `not_found`, `viewer_cannot_sign`, `already_signed`, `invalid_state`, `deadline_ahead` while the link still serves.
 */
export function decideExtensionRequest(
  { envelope, recipients }: Pick<Subject, "recipients"> & { readonly envelope: Pick<Envelope, "status" | "deadlineAt"> },
  asked: { readonly recipientId: string; readonly lastToldAt: Date | null; readonly now: Date },
): Result<{ readonly recipient: EnvelopeRecipient; readonly tellSender: boolean }> {
  const recipient = recipients.find((candidate) => candidate.id === asked.recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (recipient.status === "signed") return failure(problem("already_signed"));
  const outcome = outcomeOf(envelope.status, "request_extension");
  if (!outcome.ok) return outcome;
  const hasPassed = envelope.status === "expired" || (envelope.deadlineAt !== null && envelope.deadlineAt <= asked.now);
  if (!hasPassed) return failure(problem("deadline_ahead"));
  const sinceMs = asked.lastToldAt === null ? Infinity : asked.now.getTime() - asked.lastToldAt.getTime();
  return success({ recipient, tellSender: sinceMs >= EXTENSION_REQUEST_INTERVAL_S * 1_000 });
}
