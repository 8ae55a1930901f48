import { PURGE_AFTER_DAYS, PURGE_WARNING_DAYS, type Envelope } from "@paraphe/contracts";

const DAY_MS = 86_400_000;

/** Gives the days left before the automatic purge: 10 minus the whole days elapsed since the cancellation, floored at 0 (specification §4). */
export function daysRemaining(envelope: Pick<Envelope, "days_remaining" | "cancelled_at">, now: Date): number {
  if (envelope.days_remaining !== null) return envelope.days_remaining;
  if (envelope.cancelled_at === null) return PURGE_AFTER_DAYS;
  const elapsed = Math.floor((now.getTime() - Date.parse(envelope.cancelled_at)) / DAY_MS);
  return Math.max(0, PURGE_AFTER_DAYS - elapsed);
}

/** True when the purge is so near that it must be seen. */
export function isPurgeImminent(days: number): boolean {
  return days <= PURGE_WARNING_DAYS;
}

/** « 4 jours », « 1 jour », « Moins d’un jour ». */
export function daysLabel(days: number): string {
  if (days <= 0) return "Moins d’un jour";
  return days === 1 ? "1 jour" : `${days} jours`;
}
