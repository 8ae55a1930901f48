/**
 * Obeyed by the jobs, shown on the privacy page.
 * Source: GDPR art. 5(1)(e), 13 and 17; Code civil art. 1366 and 2224; security §4.
 */

/** From the envelope's completion. */
export const EVIDENCE_RETENTION_YEARS = 10;

/** An account never activated. */
export const PENDING_ACCOUNT_DAYS = 7;

/** So that a reused token is recognised. */
export const ENDED_SESSION_DAYS = 1;

/** So that a second opening of an activation link succeeds. */
export const ENDED_LINK_DAYS = 7;

/** Messages about an account. */
export const ACCOUNT_NOTICE_DAYS = 90;

/** Counts of attempts and requests. */
export const THROTTLE_DAYS = 2;

/** A developer's local mailbox. */
export const MAILBOX_DAYS = 7;

/** After the batch ends; its envelopes stay. */
export const BATCH_ARCHIVE_DAYS = 7;

/** On the person's device, from the last change. */
export const UNSAVED_EDITS_DAYS = 30;

/** Answers to an `Idempotency-Key`. */
export const IDEMPOTENCY_HOURS = 24;

/** For the daily count; removed by the nightly sweep. */
export const CODE_TRACE_HOURS = 24;

export const EXPORTS_PER_HOUR = 3;
