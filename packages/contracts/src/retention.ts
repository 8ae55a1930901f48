/**
 * Obeyed by the jobs, shown on the privacy page.
 * Source: GDPR art. 5(1)(e), 13 and 17; Code civil art. 1366 and 2224; security §4.
 */

/** Counted from the envelope's completion. */
export const EVIDENCE_RETENTION_YEARS = 10;

/** For an account never activated. */
export const PENDING_ACCOUNT_DAYS = 7;

/** A reused token is recognised so long. */
export const ENDED_SESSION_DAYS = 1;

/** A second opening of an activation link succeeds so long. */
export const ENDED_LINK_DAYS = 7;

export const ACCOUNT_NOTICE_DAYS = 90;

export const THROTTLE_DAYS = 2;

export const MAILBOX_DAYS = 7;

/** Counted from the batch's end; its envelopes stay. */
export const BATCH_ARCHIVE_DAYS = 7;

/** On the person's device, counted from the last change. */
export const UNSAVED_EDITS_DAYS = 30;

export const IDEMPOTENCY_HOURS = 24;

/** Needed for the daily count; the nightly sweep removes them. */
export const CODE_TRACE_HOURS = 24;

export const EXPORTS_PER_HOUR = 3;
