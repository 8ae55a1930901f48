import { failure, type Result, type StoredStatus, success } from "@paraphe/contracts";
import type { Envelope } from "./envelope.ts";
import { purgeAt } from "./paris-days.ts";
import { invalidState, outcomeOf } from "./transitions.ts";

type Cancelled = Pick<Envelope, "status" | "statusBeforeCancel" | "cancelledAt" | "deadlineAt">;

/**
 * Gives the status that a cancelled envelope gets back: the one it had, or `expired` when it was open and its deadline has passed since.
 * Errors: `invalid_state` when it is not cancelled, or its 10 days are over.
 */
export function decideRestore(envelope: Cancelled, now: Date): Result<StoredStatus> {
  const outcome = outcomeOf(envelope.status, "restore");
  if (!outcome.ok) return outcome;
  const { statusBeforeCancel, cancelledAt, deadlineAt } = envelope;
  if (statusBeforeCancel === null || cancelledAt === null || purgeAt(cancelledAt) <= now) return failure(invalidState(envelope.status));
  const wasOpen = statusBeforeCancel === "sent" || statusBeforeCancel === "pending";
  return success(wasOpen && deadlineAt !== null && deadlineAt <= now ? "expired" : statusBeforeCancel);
}
