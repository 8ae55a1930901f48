import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { SessionUser } from "../accounts/index.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, invalidState, ownRecipient, viewerOf } from "../envelopes/index.ts";

/**
 * Gives the recipient that a signed-in user signs as: by the account's confirmed address, and as nobody else (security line 42).
 * Errors: `not_found` for whoever may not see the envelope; `not_a_signer` for its sender when not among the signers; `invalid_state` when it was not sent or was cancelled.
 */
export function findSignatory(aggregate: EnvelopeAggregate | null, user: SessionUser): Result<EnvelopeRecipient> {
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, user);
  if (!viewer.ok) return viewer;
  const own = ownRecipient(aggregate, user.email_key);
  if (own !== undefined) return success(own);
  const isNamed = aggregate.recipients.some((recipient) => recipient.emailKey === user.email_key);
  if (!isNamed) return failure(problem("not_a_signer"));
  const { status } = aggregate.envelope;
  return failure(status === "draft" || status === "cancelled" ? invalidState(status) : problem("not_your_turn"));
}
