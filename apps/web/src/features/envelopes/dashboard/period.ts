import { type DayRange, lastDays, monthToDate, rangeFault } from "../../../lib/day-range.ts";

export type PeriodKind = "month" | "90days" | "custom";
export type Period = { readonly kind: PeriodKind; readonly start: string; readonly end: string };

/**
 * The days a period covers, in Paris. A custom one without both days filters nothing (specification
 * §2).
 */
export function periodRange(period: Period, now: Date): DayRange {
  if (period.kind === "month") return monthToDate(now);
  if (period.kind === "90days") return lastDays(90, now);
  return rangeFault(period.start, period.end) === undefined
    ? { from: period.start, to: period.end }
    : {};
}

/** What a custom period lacks. */
export function periodHint(period: Period): string | undefined {
  return period.kind === "custom" ? rangeFault(period.start, period.end) : undefined;
}
