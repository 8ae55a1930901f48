import { EVIDENCE_RETENTION_YEARS } from "@paraphe/contracts";

/** Gives the moment before which what was closed is kept no longer. On 29 February, that of 28 February: never a day too early. */
export function retentionStart(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - EVIDENCE_RETENTION_YEARS);
  // There was no such day that year, and the date went over to the next month: back to the last day of its own.
  if (start.getUTCMonth() !== now.getUTCMonth()) start.setUTCDate(0);
  return start;
}
