import { type DayRange, lastDays, monthToDate, rangeFault } from "../../../lib/day-range.ts";

export type PeriodKind = "month" | "90days" | "custom";
export type Period = { readonly kind: PeriodKind; readonly start: string; readonly end: string };

/**
 * Gives the days a period covers, in Paris: the month since its first day, the last 90 days, or the two chosen days.
 * A custom period without both its days filters nothing (specification §2).
 */
export function periodRange(period: Period, now: Date): DayRange {
  if (period.kind === "month") return monthToDate(now);
  if (period.kind === "90days") return lastDays(90, now);
  return rangeFault(period.start, period.end) === undefined
    ? { from: period.start, to: period.end }
    : {};
}

/** Says what a custom period lacks; nothing when it is whole. */
export function periodHint(period: Period): string | undefined {
  return period.kind === "custom" ? rangeFault(period.start, period.end) : undefined;
}
