import { MAX_DEADLINE_YEARS } from "@paraphe/contracts";
import { frenchHoliday, isWeekend } from "@paraphe/kernel/french-calendar";
import { formatLongDayMonth, weekdayName } from "@paraphe/kernel/french-dates";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { parisDay } from "../../../../lib/format/format-dates.ts";

type RestDay = {
  readonly day: string;
  readonly kind: "holiday" | "weekend";
  readonly name: string;
};

/** « Le 11 novembre est férié (Armistice 1918). » */
export function deadlineWarning(deadline: string): string | undefined {
  const rest = restDay(deadline);
  if (!rest) return undefined;
  return rest.kind === "holiday"
    ? `Le ${rest.day} est férié (${rest.name}).`
    : `Le ${rest.day} est un ${rest.name}.`;
}

/** « Échéance un jour férié (1er mai) ». */
export function deadlineFinding(deadline: string): string | undefined {
  const rest = restDay(deadline);
  return rest
    ? `Échéance un ${rest.kind === "holiday" ? "jour férié" : rest.name} (${rest.day})`
    : undefined;
}

/** A Sunday that is a holiday counts as a holiday. */
function restDay(deadline: string): RestDay | null {
  if (!isCalendarDay(deadline)) return null;
  const noon = `${deadline}T12:00:00Z`;
  const day = formatLongDayMonth(noon);
  const holiday = frenchHoliday(deadline);
  if (holiday !== null) return { day, kind: "holiday", name: holiday };
  return isWeekend(deadline) ? { day, kind: "weekend", name: weekdayName(noon) } : null;
}

/** Shape: `YYYY-MM-DD` in Paris in, ISO 8601 UTC of its last second out. */
export function endOfParisDay(day: string): string {
  const isWinter = parisDay(`${day}T22:00:00Z`) === day;
  return new Date(`${day}T${isWinter ? 22 : 21}:59:59Z`).toISOString();
}

/** The service's clock may lag behind this one, and the call takes its time. */
const MARGIN_MS = 5 * 60_000;

export function deadlineFault(day: string, now: Date): string | undefined {
  if (day === "") return undefined;
  if (!isCalendarDay(day)) return "Date invalide";
  if (day < parisDay(now)) return "L'échéance doit être dans le futur";
  return day > lastDeadlineDay(now) ? "L’échéance doit être dans les deux ans" : undefined;
}

/** `YYYY-MM-DD`. */
export function lastDeadlineDay(now: Date): string {
  return parisDay(latestDeadline(now));
}

/** On the last possible day, gives the last instant that the service accepts. */
export function deadlineInstant(day: string, now: Date): string {
  const evening = endOfParisDay(day);
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
