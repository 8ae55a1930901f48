import { frenchHoliday, isWeekend } from "@paraphe/contracts";
import { isCalendarDay } from "../../../lib/calendar-day.ts";

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
