/** What the clocks of Paris show. Days are `YYYY-MM-DD`. */

const WALL_CLOCK = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/Paris",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  hourCycle: "h23",
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Gives the hour on the clocks of Paris, 0 to 23. */
export function parisHour(instant: Date): number {
  return new Date(wallTime(instant)).getUTCHours();
}

/** Gives how far the clocks of Paris are ahead of UTC: 1, or 2 in summer. */
export function parisOffsetHours(instant: Date): number {
  return offsetAt(Math.floor(instant.getTime() / HOUR_MS)) / HOUR_MS;
}

/** Gives the instant at which a calendar day begins in Paris. */
export function startOfParisDay(day: string): Date {
  return parisTime(day, 0);
}

/** Gives the last second of a calendar day in Paris. */
export function endOfParisDay(day: string): Date {
  return fromWallTime(Date.parse(`${day}T23:59:59Z`));
}

/** Gives the instant at which the clocks of Paris show a full hour of a calendar day. */
export function parisTime(day: string, hour: number): Date {
  return fromWallTime(Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS);
}

/** Gives the instant so many days later at the same time in Paris, over a change of clocks too. */
export function addParisDays(instant: Date, days: number): Date {
  return fromWallTime(wallTime(instant) + days * DAY_MS);
}

/** The reading of the clocks of Paris, as if it were UTC; milliseconds kept. */
function wallTime(instant: Date): number {
  return instant.getTime() + offsetAt(Math.floor(instant.getTime() / HOUR_MS));
}

const MAX_KEPT = 10_000;
const offsets = new Map<number, number>();

/**
 * How far the clocks of Paris are ahead in an hour, kept: asking costs 20 µs, and a plan of
 * reminders asks thousands of times. They only change on the hour.
 */
function offsetAt(hour: number): number {
  const kept = offsets.get(hour);
  if (kept !== undefined) return kept;
  const {
    year,
    month,
    day,
    hour: wallHour,
  } = Object.fromEntries(
    WALL_CLOCK.formatToParts(hour * HOUR_MS).map(({ type, value }) => [type, Number(value)]),
  ) as Record<"year" | "month" | "day" | "hour", number>;
  const offset = Date.UTC(year, month - 1, day, wallHour) - hour * HOUR_MS;
  if (offsets.size >= MAX_KEPT) offsets.clear();
  offsets.set(hour, offset);
  return offset;
}

/**
 * The instant that reads so in Paris. A reading that the spring change skips is taken an hour
 * later; one that occurs twice in autumn, the first time.
 */
function fromWallTime(wall: number): Date {
  const offsetBefore = wallTime(new Date(wall - DAY_MS)) - (wall - DAY_MS);
  const offsetAfter = wallTime(new Date(wall + DAY_MS)) - (wall + DAY_MS);
  const first = new Date(wall - offsetBefore);
  if (offsetBefore === offsetAfter || wallTime(first) === wall) return first;
  const second = new Date(wall - offsetAfter);
  return wallTime(second) === wall ? second : first;
}
