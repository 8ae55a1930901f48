/** The calendar of Paris. Days are `YYYY-MM-DD`. */

const DAY_MS = 86_400_000;
const isoDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

/** Gives the calendar day in Paris of an instant. */
export function parisDay(instant: Date | string): string {
  return isoDay.format(new Date(instant));
}

/** Gives the whole days from one instant's day to another's, in Paris; negative when past. */
export function daysBetween(from: Date | string, to: Date | string): number {
  return (Date.parse(parisDay(to)) - Date.parse(parisDay(from))) / DAY_MS;
}

/** Gives the calendar day so many days later (or earlier). */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Says whether a text is a day of the calendar. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
