const PARIS = "Europe/Paris";
const medium = new Intl.DateTimeFormat("fr-FR", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: PARIS,
});
const dayMonth = new Intl.DateTimeFormat("fr-FR", {
  day: "numeric",
  month: "short",
  timeZone: PARIS,
});
const long = new Intl.DateTimeFormat("fr-FR", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: PARIS,
});
const longWithWeekday = new Intl.DateTimeFormat("fr-FR", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: PARIS,
});
const clock = new Intl.DateTimeFormat("fr-FR", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: PARIS,
});
const second = new Intl.DateTimeFormat("fr-FR", { second: "2-digit", timeZone: PARIS });
const isoDay = new Intl.DateTimeFormat("en-CA", { timeZone: PARIS });

/** The first of a month is written « 1er ». */
function withOrdinal(day: string): string {
  return day.replace(/(?<=^|\s)1(?=\s)/, "1er");
}

/** In lists: « 21 nov. 2026 », « 1er mai 2026 ». */
export function formatDay(instant: string): string {
  return withOrdinal(medium.format(new Date(instant)));
}

/** On an axis: « 21 nov. ». */
export function formatDayMonth(instant: string): string {
  return withOrdinal(dayMonth.format(new Date(instant)));
}

/** In a sentence: « 21 novembre 2026 ». */
export function formatLongDay(instant: string): string {
  return withOrdinal(long.format(new Date(instant)));
}

/** Head of a page: « samedi 21 novembre 2026 ». */
export function formatWeekday(instant: string): string {
  return withOrdinal(longWithWeekday.format(new Date(instant)));
}

/** « 12 h 38 ». */
export function formatTime(instant: string): string {
  return clock.format(new Date(instant)).replace(":", "\u00a0h\u00a0");
}

/** In details: « 21 novembre 2026 à 12 h 38 ». No line ends within « à 12 h 38 ». */
export function formatInstant(instant: string): string {
  return `${formatLongDay(instant)} à\u00a0${formatTime(instant)}`;
}

/** Of a time-stamp, to the second: « 21 novembre 2026 à 12 h 38 min 05 s ». */
export function formatExactInstant(instant: string): string {
  return `${formatLongDay(instant)} à\u00a0${formatExactTime(instant)}`;
}

/** Of an event of the journal, under its day: « 15 h 16 min 04 s ». */
export function formatExactTime(instant: string): string {
  return `${formatTime(instant)}\u00a0min\u00a0${second.format(new Date(instant)).padStart(2, "0")}\u00a0s`;
}

/** In short: « 21 nov. 2026 à 12 h 38 ». */
export function formatShortInstant(instant: string): string {
  return `${formatDay(instant)} à\u00a0${formatTime(instant)}`;
}

/** The calendar day in Paris, `YYYY-MM-DD`. */
export function parisDay(instant: Date | string): string {
  return isoDay.format(new Date(instant));
}

/** Whole days from one instant's day to another's, in Paris; negative when past. */
export function daysBetween(from: Date | string, to: Date | string): number {
  return Math.round((Date.parse(parisDay(to)) - Date.parse(parisDay(from))) / 86_400_000);
}

/** « aujourd’hui », « demain », « dans 14 jours », « dépassée ». */
export function formatDeadlineDistance(deadline: string, now: Date): string {
  if (Date.parse(deadline) < now.getTime()) return "dépassée";
  const days = daysBetween(now, deadline);
  if (days <= 0) return "aujourd’hui";
  return days === 1 ? "demain" : `dans ${days} jours`;
}
