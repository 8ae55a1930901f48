import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { SessionUser } from "../accounts/index.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  invalidState,
  notYourTurn,
  ownRecipient,
  signsBefore,
  viewerOf,
} from "../envelopes/index.ts";

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
  const named = aggregate.recipients.filter((recipient) => recipient.emailKey === user.email_key);
  const [first] = named.toSorted((one, other) => one.order - other.order);
  if (first === undefined) return failure(problem("not_a_signer"));
  const { status, flow } = aggregate.envelope;
  if (status === "draft" || status === "cancelled") return failure(invalidState(status));
  return failure(notYourTurn(signsBefore({ flow, recipients: aggregate.recipients }, first.id)));
}
