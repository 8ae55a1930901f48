import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { notYourTurn, signsBefore } from "./routing.ts";
import { outcomeOf } from "./transitions.ts";

type Declining = { readonly envelope: Pick<Envelope, "status" | "deadlineAt" | "flow">; readonly recipients: readonly EnvelopeRecipient[] };

/**
 * Says whether a recipient may refuse to sign now.
 * Errors: `not_found`, `viewer_cannot_sign`, `already_signed`, `not_your_turn`, `deadline_passed`, `invalid_state`.
 */
export function decideDecline(
  { envelope, recipients }: Declining,
  request: { readonly recipientId: string; readonly now: Date },
): Result<EnvelopeRecipient> {
  const recipient = recipients.find((candidate) => candidate.id === request.recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (recipient.status === "signed") return failure(problem("already_signed"));
  const outcome = outcomeOf(envelope.status, "decline");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= request.now) return failure(problem("deadline_passed"));
  return recipient.awaited ? success(recipient) : failure(notYourTurn(signsBefore({ flow: envelope.flow, recipients }, recipient.id)));
}
