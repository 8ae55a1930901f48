import { MAX_DEADLINE_YEARS, frenchHoliday, isWeekend } from "@paraphe/contracts";
import { isCalendarDay } from "../../../../lib/calendar-day.ts";
import { parisDay } from "../../../../lib/format-dates.ts";

type RestDay = {
  readonly day: string;
  readonly kind: "holiday" | "weekend";
  readonly name: string;
};

const dayMonth = new Intl.DateTimeFormat("fr-FR", {
  day: "numeric",
  month: "long",
  timeZone: "UTC",
});
const weekday = new Intl.DateTimeFormat("fr-FR", { weekday: "long", timeZone: "UTC" });

/** What the deadline's field says of a day on which nobody is at work: « Le 11 novembre est férié (Armistice 1918). » */
export function deadlineWarning(deadline: string): string | undefined {
  const rest = restDay(deadline);
  if (!rest) return undefined;
  return rest.kind === "holiday"
    ? `Le ${rest.day} est férié (${rest.name}).`
    : `Le ${rest.day} est un ${rest.name}.`;
}

/** What the check list says of it: « Échéance un jour férié (1er mai) ». */
export function deadlineFinding(deadline: string): string | undefined {
  const rest = restDay(deadline);
  return rest
    ? `Échéance un ${rest.kind === "holiday" ? "jour férié" : rest.name} (${rest.day})`
    : undefined;
}

/** A holiday says so before it is a Sunday. */
function restDay(deadline: string): RestDay | null {
  if (!isCalendarDay(deadline)) return null;
  const date = new Date(`${deadline}T00:00:00Z`);
  const day = dayMonth.format(date).replace(/^1(?=\s)/, "1er");
  const holiday = frenchHoliday(deadline);
  if (holiday !== null) return { day, kind: "holiday", name: holiday };
  return isWeekend(deadline) ? { day, kind: "weekend", name: weekday.format(date) } : null;
}

const wall = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/Paris",
  hour: "2-digit",
  hourCycle: "h23",
  day: "2-digit",
});

/**
 * Gives the last second of a calendar day in Paris as an instant: « à signer au plus tard le 5 décembre » holds until that evening, whatever the season.
 * Shape: `YYYY-MM-DD` in, ISO 8601 UTC out.
 */
export function endOfParisDay(day: string): string {
  const summer = new Date(`${day}T21:59:59Z`);
  const parts = wall.formatToParts(summer);
  const hour = parts.find((part) => part.type === "hour")?.value;
  return (hour === "23" ? summer : new Date(`${day}T22:59:59Z`)).toISOString();
}

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
