import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Envelope, EnvelopeRecipient } from "./envelope.ts";
import { awaitedRecipients } from "./routing.ts";
import { outcomeOf } from "./transitions.ts";

export type SignatureDecision = {
  readonly status: "pending" | "completed";
  readonly signedCount: number;
  /** Whose signature is asked for from now on. */
  readonly awaited: ReadonlySet<string>;
  /** Those of them who had not been told yet. */
  readonly toInvite: ReadonlySet<string>;
};

type Signing = {
  readonly envelope: Pick<Envelope, "status" | "flow" | "signerCount" | "signedCount">;
  readonly recipients: readonly EnvelopeRecipient[];
};

/**
 * Decides what one recipient's signature makes of an envelope.
 * The deadline is not looked at: the consent was committed before it.
 * Errors: `invalid_state`, `not_found`, `already_signed`.
 */
export function decideSignature({ envelope, recipients }: Signing, recipientId: string): Result<SignatureDecision> {
  const outcome = outcomeOf(envelope.status, "sign");
  if (!outcome.ok) return outcome;
  const signer = recipients.find((recipient) => recipient.id === recipientId);
  if (signer === undefined || signer.role === "viewer") return failure(problem("not_found"));
  if (signer.status === "signed") return failure(problem("already_signed"));
  const after = recipients.map((recipient) => (recipient.id === recipientId ? { ...recipient, status: "signed" as const } : recipient));
  const awaited = awaitedRecipients(envelope.flow, after);
  const signedCount = envelope.signedCount + 1;
  const uninvited = after.filter((recipient) => awaited.has(recipient.id) && recipient.notifiedAt === null);
  return success({
    status: signedCount >= envelope.signerCount ? "completed" : "pending",
    signedCount,
    awaited,
    toInvite: new Set(uninvited.map((recipient) => recipient.id)),
  });
}
