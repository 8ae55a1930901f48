import { type DayRange, lastDays, monthToDate, rangeFault } from "../../../lib/format/day-range.ts";
import {
  daysBetween,
  formatDay,
  formatDayMonth,
  parisDay,
} from "../../../lib/format/format-dates.ts";

export type PeriodKind = "month" | "90days" | "custom";
export type Period = { readonly kind: PeriodKind; readonly start: string; readonly end: string };

/** Paris days. A custom period without both days filters nothing (specification §2). */
export function periodRange(period: Period, now: Date): DayRange {
  if (period.kind === "month") return monthToDate(now);
  if (period.kind === "90days") return lastDays(90, now);
  return rangeFault(period.start, period.end) === undefined
    ? { from: period.start, to: period.end }
    : {};
}

export function periodHint(period: Period): string | undefined {
  return period.kind === "custom" ? rangeFault(period.start, period.end) : undefined;
}

/** « il y a 2 h », « hier », « le 17 nov. ». */
export function formatAge(instant: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(instant)) / 60_000);
  if (minutes < 1) return "à l’instant";
  if (minutes < 60) return `il y a ${minutes} min`;
  const days = daysBetween(instant, now);
  if (days === 0) return `il y a ${Math.floor(minutes / 60)} h`;
  if (days === 1) return "hier";
  if (days < 7) return `il y a ${days} jours`;
  return `le ${parisDay(instant).slice(0, 4) === parisDay(now).slice(0, 4) ? formatDayMonth(instant) : formatDay(instant)}`;
}
