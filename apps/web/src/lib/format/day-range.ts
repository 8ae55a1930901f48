import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { parisDay } from "./format-dates.ts";

/** Years the service can search. */
const YEARS = /^(19|2\d)\d\d-/u;
const DAY_MS = 86_400_000;

/** Days in Paris, both included, as `from` and `to` of the service. */
export type DayRange = { readonly from?: string; readonly to?: string };

export function monthToDate(now: Date): DayRange {
  const today = parisDay(now);
  return { from: `${today.slice(0, 8)}01`, to: today };
}

export function lastDays(count: number, now: Date): DayRange {
  return { from: parisDay(new Date(now.getTime() - (count - 1) * DAY_MS)), to: parisDay(now) };
}

export function rangeFault(start: string, end: string): string | undefined {
  if (![start, end].every((day) => isCalendarDay(day) && YEARS.test(day)))
    return "Choisissez une date de début et une date de fin.";
  return start > end ? "La date de fin doit suivre la date de début." : undefined;
}
