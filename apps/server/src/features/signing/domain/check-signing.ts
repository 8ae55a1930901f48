import {
  failure,
  GUEST_TOKEN_AFTER_COMPLETION_DAYS,
  problem,
  type Problem,
  type ProblemCode,
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
  /** The recipient's unsealed request: none, the same as this one, or another. */
  readonly act: "none" | "same" | "other";
  readonly now: Date;
};

/**
 * The same request sent twice joins its act.
 * Errors: `viewer_cannot_sign`, `already_signed`, `invalid_state`, `deadline_passed`,
 * `not_your_turn`.
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

export type GuestAccess = {
  readonly status: StoredStatus;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly now: Date;
  /** The link's own recipient declined. */
  readonly hasDeclined: boolean;
};

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  expired: "envelope_expired",
  declined: "envelope_declined",
};

/**
 * Checks that a valid token still opens its envelope.
 * Errors: 410 when closed: `envelope_cancelled`, `envelope_expired` (`deadline_at`),
 * `envelope_declined` (`declined_by_you`); `not_found` for a draft, and 90 days after completion.
 */
export function checkGuestAccess(access: GuestAccess): Result<null> {
  if (access.status === "draft") return refused("not_found");
  const closed = CLOSED[access.status];
  if (closed === "envelope_expired") return expired(access.deadlineAt);
  if (closed === "envelope_declined")
    return failure(problem(closed, { extensions: { declined_by_you: access.hasDeclined } }));
  if (closed !== undefined) return refused(closed);
  if (access.status === "completed")
    return access.completedAt !== null && isOver(access.completedAt, access.now)
      ? refused("not_found")
      : success(null);
  // The deadline binds before the job that closes the envelope runs.
  if (access.deadlineAt !== null && access.deadlineAt <= access.now)
    return expired(access.deadlineAt);
  return success(null);
}

function isOver(completedAt: Date, now: Date): boolean {
  return now.getTime() - completedAt.getTime() > GUEST_TOKEN_AFTER_COMPLETION_DAYS * 86_400_000;
}

function expired(deadlineAt: Date | null): { readonly ok: false; readonly error: Problem } {
  return failure(
    problem(
      "envelope_expired",
      deadlineAt === null ? {} : { extensions: { deadline_at: deadlineAt.toISOString() } },
    ),
  );
}

function refused(code: ProblemCode): { readonly ok: false; readonly error: Problem } {
  return failure(problem(code));
}
