import {
  EVIDENCE_RETENTION_YEARS,
  EXTENSION_DAYS,
  EXTENSION_REQUEST_INTERVAL_S,
  PURGE_AFTER_DAYS,
  type Result,
  type StoredStatus,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { addParisDays, startOfParisDay } from "@paraphe/kernel/paris-time";
import { deadlineErrors } from "./draft-checks.ts";
import { type Envelope, type EnvelopeRecipient, awaitedRecipients, outcomeOf } from "./envelope.ts";

/**
 * Gives the end of the seventh day in Paris after the deadline, or after today once passed.
 * Units: whole seconds.
 */
export function extendedDeadline(deadlineAt: Date, now: Date): Date {
  const from = deadlineAt > now ? deadlineAt : now;
  return new Date(startOfParisDay(addDays(parisDay(from), EXTENSION_DAYS + 1)).getTime() - 1_000);
}

/** The last deadline a recipient knows; `reopened`: they do not know that their link works. */
export type DeadlineNews = { readonly knownDeadlineAt: Date | null; readonly reopened: boolean };

/** A deadline unchanged for this long is announced. */
const SETTLES_MS = 2 * 60_000;
/** A deadline this near is announced at once. */
const NEAR_MS = 60 * 60_000;

/** Gives the time of the announcement; null: at once. */
export function announcedAt(deadlineAt: Date | null, now: Date): Date | null {
  const isNear = deadlineAt !== null && deadlineAt.getTime() - now.getTime() < NEAR_MS;
  return isNear ? null : new Date(now.getTime() + SETTLES_MS);
}

export function isNews(known: DeadlineNews, deadlineAt: Date): boolean {
  return known.reopened || known.knownDeadlineAt?.getTime() !== deadlineAt.getTime();
}

type DeadlineChange = "same" | "changed";

/**
 * A past deadline can only be extended.
 * Errors: `invalid_state`; `deadline_passed`; `validation` when past or too far.
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

type Subject = {
  readonly envelope: Pick<Envelope, "status" | "flow" | "deadlineAt" | "signedCount">;
  readonly recipients: readonly EnvelopeRecipient[];
};

type Extension = {
  readonly deadlineAt: Date;
  readonly status: StoredStatus;
  readonly awaited: ReadonlySet<string>;
  readonly reopened: boolean;
};

/**
 * By default a week later; an expired envelope gets its status back.
 * Errors: `invalid_state`; `no_deadline`; `validation` when past, too far, or not later.
 */
export function decideExtension(
  { envelope, recipients }: Subject,
  asked: { readonly deadlineAt: Date | null; readonly now: Date },
): Result<Extension> {
  const outcome = outcomeOf(envelope.status, "extend");
  if (!outcome.ok) return outcome;
  if (envelope.deadlineAt === null) return failure(problem("no_deadline"));
  const deadlineAt = asked.deadlineAt ?? extendedDeadline(envelope.deadlineAt, asked.now);
  const errors = deadlineErrors({ deadlineAt, now: asked.now });
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  if (deadlineAt <= envelope.deadlineAt)
    return failure(
      problem("validation", {
        errors: { deadline_at: ["Choisissez une date après l’échéance actuelle"] },
      }),
    );
  const wasOpen = envelope.signedCount > 0 ? "pending" : "sent";
  return success({
    deadlineAt,
    status: outcome.value === "open" ? wasOpen : envelope.status,
    awaited: awaitedRecipients(envelope.flow, recipients),
    reopened: envelope.status === "expired" || envelope.deadlineAt <= asked.now,
  });
}

/**
 * True once a day, whoever asks.
 * Errors: `not_found`, `viewer_cannot_sign`, `already_signed`, `visa_given`, `invalid_state`,
 * `deadline_ahead`.
 */
export function decideExtensionRequest(
  {
    envelope,
    recipients,
  }: Pick<Subject, "recipients"> & { readonly envelope: Pick<Envelope, "status" | "deadlineAt"> },
  asked: { readonly recipientId: string; readonly lastNotifiedAt: Date | null; readonly now: Date },
): Result<{ readonly recipient: EnvelopeRecipient; readonly notifiesSender: boolean }> {
  const recipient = recipients.find((candidate) => candidate.id === asked.recipientId);
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient.role === "viewer") return failure(problem("viewer_cannot_sign"));
  if (recipient.status === "signed") return failure(problem("already_signed"));
  if (recipient.status === "approved") return failure(problem("visa_given"));
  const outcome = outcomeOf(envelope.status, "request_extension");
  if (!outcome.ok) return outcome;
  const hasPassed =
    envelope.status === "expired" ||
    (envelope.deadlineAt !== null && envelope.deadlineAt <= asked.now);
  if (!hasPassed) return failure(problem("deadline_ahead"));
  const sinceMs =
    asked.lastNotifiedAt === null ? Infinity : asked.now.getTime() - asked.lastNotifiedAt.getTime();
  return success({ recipient, notifiesSender: sinceMs >= EXTENSION_REQUEST_INTERVAL_S * 1_000 });
}

const WARNINGS = [1, 2] as const;
export type WarningDays = (typeof WARNINGS)[number];
const DAY_MS = 86_400_000;

type DeadlineState = Pick<Envelope, "status" | "deadlineAt" | "sentAt"> & {
  readonly warnedDays: number | null;
};

/** Gives the warning that this announcement replaces, or null. */
export function warnedBy(deadlineAt: Date, now: Date): WarningDays | null {
  return WARNINGS.find((days) => deadlineAt.getTime() - days * DAY_MS <= now.getTime()) ?? null;
}

/** Gives the due warning, or null; a later invitation replaces it. */
export function decideWarning(envelope: DeadlineState, now: Date): WarningDays | null {
  const { deadlineAt, sentAt, warnedDays } = envelope;
  if (
    !outcomeOf(envelope.status, "remind").ok ||
    deadlineAt === null ||
    sentAt === null ||
    deadlineAt <= now
  )
    return null;
  const due = WARNINGS.find((days) => {
    const moment = deadlineAt.getTime() - days * DAY_MS;
    return (
      moment <= now.getTime() &&
      sentAt.getTime() <= moment &&
      (warnedDays === null || warnedDays > days)
    );
  });
  return due ?? null;
}

export function purgeAt(cancelledAt: Date): Date {
  return addParisDays(cancelledAt, PURGE_AFTER_DAYS);
}

/** Gives the closing date whose retention ends now; 28 February for the 29th. */
export function retentionStart(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - EVIDENCE_RETENTION_YEARS);
  // Without 29 February the date falls in March.
  if (start.getUTCMonth() !== now.getUTCMonth()) start.setUTCDate(0);
  return start;
}
