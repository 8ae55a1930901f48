import {
  failure,
  GUEST_TOKEN_AFTER_COMPLETION_DAYS,
  type Problem,
  type ProblemCode,
  problem,
  type Result,
  type StoredStatus,
  success,
} from "@paraphe/contracts";

export type GuestDoor = {
  readonly status: StoredStatus;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly now: Date;
  /** It was this link's own recipient who refused. */
  readonly hasDeclined: boolean;
};

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  expired: "envelope_expired",
  declined: "envelope_declined",
};

/**
 * Says whether a valid token still opens its envelope.
 * Errors: 410 when the envelope is closed, `envelope_expired` with its deadline (`deadline_at`), `envelope_declined` with whether it was this
 * recipient who refused (`declined_by_you`); `not_found` for a draft, and 90 days after completion, as for a token that never was.
 */
export function checkGuestAccess(door: GuestDoor): Result<null> {
  if (door.status === "draft") return refused("not_found");
  const closed = CLOSED[door.status];
  if (closed === "envelope_expired") return expired(door.deadlineAt);
  if (closed === "envelope_declined")
    return failure(problem(closed, { extensions: { declined_by_you: door.hasDeclined } }));
  if (closed !== undefined) return refused(closed);
  if (door.status === "completed")
    return door.completedAt !== null && isOver(door.completedAt, door.now)
      ? refused("not_found")
      : success(null);
  // The deadline binds from its own second, not from the job that will write it down.
  if (door.deadlineAt !== null && door.deadlineAt <= door.now) return expired(door.deadlineAt);
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
