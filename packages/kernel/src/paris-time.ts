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

/** 0 to 23. */
export function parisHour(instant: Date): number {
  return new Date(wallTime(instant)).getUTCHours();
}

/** 1, or 2 in summer. */
export function parisOffsetHours(instant: Date): number {
  return offsetAt(Math.floor(instant.getTime() / HOUR_MS)) / HOUR_MS;
}

export function startOfParisDay(day: string): Date {
  return parisTime(day, 0);
}

/** The last second of a day. */
export function endOfParisDay(day: string): Date {
  return fromWallTime(Date.parse(`${day}T23:59:59Z`));
}

export function parisTime(day: string, hour: number): Date {
  return fromWallTime(Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS);
}

/** Same wall time so many days later, over a change of clocks too. */
export function addParisDays(instant: Date, days: number): Date {
  return fromWallTime(wallTime(instant) + days * DAY_MS);
}

/** Wall time in Paris as if it were UTC; milliseconds kept. */
function wallTime(instant: Date): number {
  return instant.getTime() + offsetAt(Math.floor(instant.getTime() / HOUR_MS));
}

const MAX_KEPT = 10_000;
const offsets = new Map<number, number>();

/** Cached: each costs 20 µs and a plan of reminders asks thousands; offsets change on the hour. */
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

/** A time skipped in spring moves an hour later; one repeated in autumn is the first. */
function fromWallTime(wall: number): Date {
  const offsetBefore = wallTime(new Date(wall - DAY_MS)) - (wall - DAY_MS);
  const offsetAfter = wallTime(new Date(wall + DAY_MS)) - (wall + DAY_MS);
  const first = new Date(wall - offsetBefore);
  if (offsetBefore === offsetAfter || wallTime(first) === wall) return first;
  const second = new Date(wall - offsetAfter);
  return wallTime(second) === wall ? second : first;
}
