import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { SessionUser } from "../accounts/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  invalidState,
  mustSign,
  notYourTurn,
  ownRecipient,
  signsBefore,
  viewerOf,
} from "../envelopes/public.ts";

type Signatory = Pick<SessionUser, "id" | "email_key" | "recipient_key">;
type Subject = Pick<EnvelopeAggregate, "envelope" | "recipients">;

/**
 * Gives the recipient that a signed-in user signs as: by the account's confirmed address, and as nobody else (security line 42). Of two people of one
 * address it is the one whose turn it is, else the one who has yet to sign. `shown`: whom they were shown as when they agreed; they sign as that person or not
 * at all, whoever's turn it is by now.
 * Errors: `not_found` for whoever may not see the envelope; `not_your_turn` for a signer who has not been written to yet;
 * `address_unconfirmed` where no person has confirmed that address yet; to its sender alone `not_a_signer` when not among the signers, `invalid_state` when it
 * was not sent or was cancelled.
 */
export function findSignatory(aggregate: Subject | null, user: Signatory, shown?: string): Result<EnvelopeRecipient> {
  const named = findNamedSignatory(aggregate, user, shown);
  const isSomebody = named.ok || named.error.code === "not_your_turn";
  return isSomebody && user.recipient_key === null ? failure(problem("address_unconfirmed")) : named;
}

/**
 * Gives whom the account's address stands for, whether or not it was confirmed: for the code that confirms it, and for nothing else.
 * Errors: those of `findSignatory`, but `address_unconfirmed`.
 */
export function findNamedSignatory(
  aggregate: Subject | null,
  account: Pick<Signatory, "id" | "email_key">,
  shown?: string,
): Result<EnvelopeRecipient> {
  const user = { ...account, recipient_key: account.email_key };
  if (aggregate === null) return failure(problem("not_found"));
  const { status } = aggregate.envelope;
  const named = aggregate.recipients.filter((recipient) => recipient.emailKey === user.email_key);
  if (shown !== undefined && status !== "draft" && status !== "cancelled") {
    const same = named.find(({ id, notifiedAt }) => id === shown && notifiedAt !== null);
    return same === undefined ? failure(problem("not_found")) : success(same);
  }
  const isOpen = status === "sent" || status === "pending";
  const next = isOpen ? nextToSign(named) : undefined;
  const own = ownRecipient(aggregate, user.email_key);
  if (own !== undefined && (own.awaited || next === undefined)) return success(own);
  const viewer = viewerOf(aggregate, user);
  // Whose confirmed address stands in a request that is under way may know that it is not their turn; of any other they know nothing.
  if (!viewer.ok && next === undefined) return viewer;
  const first = next ?? inOrder(named)[0];
  if (first === undefined) return failure(problem("not_a_signer"));
  if (status === "draft" || status === "cancelled") return failure(invalidState(status));
  return failure(notYourTurn(signsBefore({ flow: aggregate.envelope.flow, recipients: aggregate.recipients }, first.id)));
}

/** Gives who of these has yet to sign, the first in the order of signing. */
function nextToSign(named: readonly EnvelopeRecipient[]): EnvelopeRecipient | undefined {
  return inOrder(named).find((recipient) => mustSign(recipient) && recipient.status !== "signed" && recipient.status !== "declined");
}

function inOrder(named: readonly EnvelopeRecipient[]): readonly EnvelopeRecipient[] {
  return named.toSorted((one, other) => one.order - other.order);
}
