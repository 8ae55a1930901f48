import { daysBetween, formatDay, formatDayMonth, parisDay } from "../../../lib/format-dates.ts";

/** « il y a 2 h », « hier », « il y a 3 jours », then the day, « le 17 nov. ». */
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
