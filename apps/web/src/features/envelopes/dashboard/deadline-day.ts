import { daysBetween, formatDay, formatDayMonth, parisDay } from "../../../lib/format-dates.ts";

const weekday = new Intl.DateTimeFormat("fr-FR", { weekday: "long", day: "numeric", timeZone: "Europe/Paris" });

/** Says the day of a deadline ahead, as short as it stays clear: « demain », « mardi 24 » within a week, « le 5 déc. », « le 5 janv. 2027 ». */
export function deadlineDay(deadline: string, now: Date): string {
  const days = daysBetween(now, deadline);
  if (days <= 0) return "aujourd’hui";
  if (days === 1) return "demain";
  if (days < 7) return weekday.format(new Date(deadline)).replace(/(?<=\s)1$/, "1er");
  return `le ${parisDay(deadline).slice(0, 4) === parisDay(now).slice(0, 4) ? formatDayMonth(deadline) : formatDay(deadline)}`;
}
