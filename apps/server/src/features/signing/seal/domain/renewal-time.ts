const DAY_MS = 86_400_000;
const MARGIN_MS = 180 * DAY_MS;

/**
 * Says when a document time-stamp is to be followed by another: half a year before its authority's certificate ends, and never in the last quarter of its life.
 * An authority whose certificate soon ends is asked again before then, more and more often until it has a new one.
 */
export function renewalTime(stampedAt: Date, validUntil: Date): Date {
  const life = validUntil.getTime() - stampedAt.getTime();
  return new Date(validUntil.getTime() - Math.min(MARGIN_MS, Math.max(0, life / 4)));
}
