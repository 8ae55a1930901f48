import { parisDay } from "./paris-days.ts";
import { parisOffsetHours } from "./paris-time.ts";

const inParis = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", ...options });
const medium = inParis({ day: "numeric", month: "short", year: "numeric" });
const dayMonth = inParis({ day: "numeric", month: "short" });
const long = inParis({ day: "numeric", month: "long", year: "numeric" });
const longDayMonth = inParis({ day: "numeric", month: "long" });
const weekday = inParis({ weekday: "long" });
const digits = inParis({ day: "2-digit", month: "2-digit", year: "numeric" });
const clock = inParis({
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

type Moment = string | Date;

/** No line ends between day and month. */
function withOrdinal(day: string): string {
  return day.replace(/^(\d+)\s/, (_, number) => `${number === "1" ? "1er" : number}\u00a0`);
}

/** « 21 nov. 2026 », « 1er mai 2026 ». */
export function formatDay(instant: Moment): string {
  return withOrdinal(medium.format(new Date(instant)));
}

/** « 21 nov. ». */
export function formatDayMonth(instant: Moment): string {
  return withOrdinal(dayMonth.format(new Date(instant)));
}

/** « 21 novembre 2026 ». */
export function formatLongDay(instant: Moment): string {
  return withOrdinal(long.format(new Date(instant)));
}

/** « 28 novembre ». */
export function formatLongDayMonth(instant: Moment): string {
  return withOrdinal(longDayMonth.format(new Date(instant)));
}

/** « 21/11/2026 ». */
export function formatDigits(instant: Moment): string {
  return digits.format(new Date(instant));
}

/** « samedi ». */
export function weekdayName(instant: Moment): string {
  return weekday.format(new Date(instant));
}

/** « mardi 24 ». */
export function formatNearDay(instant: Moment): string {
  const day = Number(parisDay(instant).slice(8));
  return `${weekdayName(instant)} ${day === 1 ? "1er" : day}`;
}

/** « samedi 21 novembre 2026 ». */
export function formatWeekday(instant: Moment): string {
  return `${weekdayName(instant)} ${formatLongDay(instant)}`;
}

/** « 12 h 38 ». */
export function formatTime(instant: Moment): string {
  return clock.format(new Date(instant)).slice(0, 5).replace(":", "\u00a0h\u00a0");
}

/** « 15 h 16 min 04 s ». */
function formatExactTime(instant: Moment): string {
  const second = clock.format(new Date(instant)).slice(6);
  return `${formatTime(instant)}\u00a0min\u00a0${second}\u00a0s`;
}

/** « 21 novembre 2026 à 12 h 38 », unbroken from « à ». */
export function formatInstant(instant: Moment): string {
  return `${formatLongDay(instant)} à\u00a0${formatTime(instant)}`;
}

/** « 21 novembre 2026 à 12 h 38 min 05 s ». */
export function formatExactInstant(instant: Moment): string {
  return `${formatLongDay(instant)} à\u00a0${formatExactTime(instant)}`;
}

/** « 21 nov. 2026 à 12 h 38 ». */
export function formatShortInstant(instant: Moment): string {
  return `${formatDay(instant)} à\u00a0${formatTime(instant)}`;
}

/** « 21/11/2026 à 15:16:04 (UTC+1) ». */
export function formatZonedInstant(instant: Date): string {
  const zone = `UTC+${parisOffsetHours(instant)}`;
  return `${formatDigits(instant)} à ${clock.format(instant)} (${zone})`;
}

/** « 21/11/2026 à 12 h 38 min 05 s ». */
export function formatDigitsInstant(instant: Moment): string {
  return `${formatDigits(instant)} à\u00a0${formatExactTime(instant)}`;
}
