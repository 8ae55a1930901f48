import { failure, problem, type Result, success } from "@paraphe/contracts";
import { deadlineErrors } from "./draft-checks.ts";
import type { Envelope } from "./envelope.ts";
import { outcomeOf } from "./transitions.ts";

/** Whether the deadline asked for is another one. */
export type DeadlineChange = "same" | "changed";

/**
 * Decides the deadline of an envelope that waits for signatures: set, moved either way, or removed. One that has passed can only be put off.
 * Errors: `invalid_state`; `deadline_passed`; `validation` of one that is not in the future or too far.
 */
export function decideDeadline(
  { status, deadlineAt }: Pick<Envelope, "status" | "deadlineAt">,
  asked: { readonly deadlineAt: Date | null; readonly now: Date },
): Result<DeadlineChange> {
  const outcome = outcomeOf(status, "adjust");
  if (!outcome.ok) return outcome;
  if (deadlineAt !== null && deadlineAt <= asked.now) return failure(problem("deadline_passed"));
  const errors = deadlineErrors(asked);
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  return success(asked.deadlineAt?.getTime() === deadlineAt?.getTime() ? "same" : "changed");
}
