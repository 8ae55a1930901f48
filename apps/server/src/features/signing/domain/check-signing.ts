import {
  failure,
  problem,
  type Result,
  type Role,
  type SignsBefore,
  STATUS_LABELS,
  type StoredStatus,
  success,
  whenInWords,
} from "@paraphe/contracts";

export type SigningSituation = {
  readonly status: StoredStatus;
  readonly deadlineAt: Date | null;
  readonly role: Role;
  readonly recipientStatus: "waiting" | "notified" | "viewed" | "signed" | "declined";
  readonly awaited: boolean;
  readonly before: SignsBefore;
  /** What this person sent before and is not signed yet: nothing, the same as now, or something else. */
  readonly act: "none" | "same" | "other";
  readonly now: Date;
};

/**
 * Lets this person sign now. The same request sent twice is let through too: it joins the act that was recorded.
 * Errors: `viewer_cannot_sign`, `already_signed`, `invalid_state`, `deadline_passed`, `not_your_turn`.
 */
export function checkSigning(situation: SigningSituation): Result<null> {
  if (situation.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (situation.recipientStatus === "signed") return failure(problem("already_signed"));
  if (situation.status !== "sent" && situation.status !== "pending")
    return failure(
      problem("invalid_state", { params: { state: STATUS_LABELS[situation.status] } }),
    );
  if (situation.act === "other") return failure(problem("already_signed"));
  if (situation.act === "same") return success(null);
  if (situation.deadlineAt !== null && situation.deadlineAt <= situation.now)
    return failure(problem("deadline_passed"));
  if (!situation.awaited)
    return failure(problem("not_your_turn", { params: { when: whenInWords(situation.before) } }));
  return success(null);
}
