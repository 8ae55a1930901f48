const DAY_MS = 86_400_000;
const isoDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

/** `YYYY-MM-DD` in Paris. */
export function parisDay(instant: Date | string): string {
  return isoDay.format(new Date(instant));
}

/** Calendar days in Paris; negative when past. */
export function daysBetween(from: Date | string, to: Date | string): number {
  return (Date.parse(parisDay(to)) - Date.parse(parisDay(from))) / DAY_MS;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
