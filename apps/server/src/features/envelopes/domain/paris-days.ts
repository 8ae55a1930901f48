import { EVIDENCE_RETENTION_YEARS, PURGE_AFTER_DAYS } from "@paraphe/contracts";
import { addParisDays } from "@paraphe/kernel/paris-time";

/** Gives the instant at which a cancelled envelope is purged: 10 whole days after its cancellation. */
export function purgeAt(cancelledAt: Date): Date {
  return addParisDays(cancelledAt, PURGE_AFTER_DAYS);
}

/** Gives the days left before the purge: 10 less the whole days elapsed, never below 0. */
export function daysRemaining(cancelledAt: Date, now: Date): number {
  for (let elapsed = PURGE_AFTER_DAYS; elapsed > 0; elapsed--) {
    if (addParisDays(cancelledAt, elapsed) <= now) return PURGE_AFTER_DAYS - elapsed;
  }
  return PURGE_AFTER_DAYS;
}

/** Gives the moment before which what was closed is kept no longer. On 29 February, that of 28 February: never a day too early. */
export function retentionStart(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - EVIDENCE_RETENTION_YEARS);
  // There was no such day that year, and the date went over to the next month: back to the last day of its own.
  if (start.getUTCMonth() !== now.getUTCMonth()) start.setUTCDate(0);
  return start;
}
