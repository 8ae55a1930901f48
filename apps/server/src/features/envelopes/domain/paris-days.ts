import { EVIDENCE_RETENTION_YEARS, PURGE_AFTER_DAYS } from "@paraphe/contracts";
import { addParisDays } from "@paraphe/kernel/paris-time";

/** Gives the end of the 10 whole days after cancellation. */
export function purgeAt(cancelledAt: Date): Date {
  return addParisDays(cancelledAt, PURGE_AFTER_DAYS);
}

export function daysRemaining(cancelledAt: Date, now: Date): number {
  for (let elapsed = PURGE_AFTER_DAYS; elapsed > 0; elapsed--) {
    if (addParisDays(cancelledAt, elapsed) <= now) return PURGE_AFTER_DAYS - elapsed;
  }
  return PURGE_AFTER_DAYS;
}

/** Gives the closing date whose retention ends now; on 29 February, that of 28 February. */
export function retentionStart(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - EVIDENCE_RETENTION_YEARS);
  // 29 February of a common year overflows into March.
  if (start.getUTCMonth() !== now.getUTCMonth()) start.setUTCDate(0);
  return start;
}
