import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { SessionUser } from "../accounts/index.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  invalidState,
  mustSign,
  notYourTurn,
  ownRecipient,
  signsBefore,
  viewerOf,
} from "../envelopes/index.ts";

/**
 * Gives the recipient that a signed-in user signs as: by the account's confirmed address, and as nobody else (security line 42).
 * Errors: `not_found` for whoever may not see the envelope; `not_your_turn` for a signer who has not been written to yet;
 * to its sender alone `not_a_signer` when not among the signers, `invalid_state` when it was not sent or was cancelled.
 */
export function findSignatory(aggregate: EnvelopeAggregate | null, user: SessionUser): Result<EnvelopeRecipient> {
  if (aggregate === null) return failure(problem("not_found"));
  const own = ownRecipient(aggregate, user.email_key);
  if (own !== undefined) return success(own);
  const viewer = viewerOf(aggregate, user);
  const named = aggregate.recipients.filter((recipient) => recipient.emailKey === user.email_key);
  const [first] = named.toSorted((one, other) => one.order - other.order);
  const { status, flow } = aggregate.envelope;
  if (!viewer.ok) {
    // Whose confirmed address stands in a request that is under way may know that it is not their turn; of any other they know nothing.
    const isWaiting = (status === "sent" || status === "pending") && first !== undefined && mustSign(first);
    if (!isWaiting) return viewer;
  }
  if (first === undefined) return failure(problem("not_a_signer"));
  if (status === "draft" || status === "cancelled") return failure(invalidState(status));
  return failure(notYourTurn(signsBefore({ flow, recipients: aggregate.recipients }, first.id)));
}
