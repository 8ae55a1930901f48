import { frenchHoliday, isWeekend } from "@paraphe/kernel/french-calendar";
import { formatLongDayMonth, weekdayName } from "@paraphe/kernel/french-dates";
import { isCalendarDay } from "@paraphe/kernel/paris-days";

type RestDay = {
  readonly day: string;
  readonly kind: "holiday" | "weekend";
  readonly name: string;
};

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
  const noon = `${deadline}T12:00:00Z`;
  const day = formatLongDayMonth(noon);
  const holiday = frenchHoliday(deadline);
  if (holiday !== null) return { day, kind: "holiday", name: holiday };
  return isWeekend(deadline) ? { day, kind: "weekend", name: weekdayName(noon) } : null;
}
