import { MAX_DEADLINE_YEARS } from "@paraphe/contracts";
import { isCalendarDay, parisDay } from "@paraphe/kernel/paris-days";
import { endOfParisDay } from "@paraphe/kernel/paris-time";

/** The service's clock may run a little behind this one, and the call takes its time. */
const MARGIN_MS = 5 * 60_000;

/** What keeps a deadline from being saved, in the service's words; undefined when nothing does. */
export function deadlineFault(day: string, now: Date): string | undefined {
  if (day === "") return undefined;
  if (!isCalendarDay(day)) return "Date invalide";
  if (day < parisDay(now)) return "L'échéance doit être dans le futur";
  return day > lastDeadlineDay(now) ? "L’échéance doit être dans les deux ans" : undefined;
}

/** The last day that can be chosen, `YYYY-MM-DD`. */
export function lastDeadlineDay(now: Date): string {
  return parisDay(latestDeadline(now));
}

/** The instant a day's deadline is at: its evening; on the last day of all, the last instant the service accepts. */
export function deadlineInstant(day: string, now: Date): string {
  const evening = endOfParisDay(day).toISOString();
  const latest = latestDeadline(now);
  return day === parisDay(latest) && Date.parse(evening) > latest.getTime()
    ? latest.toISOString()
    : evening;
}

function latestDeadline(now: Date): Date {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_DEADLINE_YEARS);
  return new Date(latest.getTime() - MARGIN_MS);
}
