import { EVIDENCE_RETENTION_YEARS, PURGE_AFTER_DAYS } from "@paraphe/contracts";

const PARIS = "Europe/Paris";
const WALL_CLOCK = new Intl.DateTimeFormat("en-CA", {
  timeZone: PARIS,
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** Gives the calendar day in Paris of an instant, `YYYY-MM-DD`. */
export function parisDay(instant: Date): string {
  return new Date(wallTime(instant)).toISOString().slice(0, 10);
}

/** Gives the instant at which a calendar day begins in Paris. */
export function startOfParisDay(day: string): Date {
  return fromWallTime(Date.parse(`${day}T00:00:00Z`));
}

/** Gives the instant at which the clocks of Paris show a full hour of a calendar day. */
export function parisTime(day: string, hour: number): Date {
  return fromWallTime(Date.parse(`${day}T${String(hour).padStart(2, "0")}:00:00Z`));
}

/** Gives the instant that many whole days later at the same time on the clocks of Paris: 23 or 25 hours when the clocks change. */
export function addParisDays(instant: Date, days: number): Date {
  const wall = new Date(wallTime(instant));
  wall.setUTCDate(wall.getUTCDate() + days);
  return fromWallTime(wall.getTime());
}

/** Gives the instant at which a cancelled envelope is purged: 10 whole days after its cancellation. */
export function purgeAt(cancelledAt: Date): Date {
  return addParisDays(cancelledAt, PURGE_AFTER_DAYS);
}

/** Gives the days left before the purge: 10 less the whole days elapsed, never below 0. */
export function daysRemaining(cancelledAt: Date, now: Date): number {
  for (let elapsed = PURGE_AFTER_DAYS; elapsed > 0; elapsed--) {
    if (addParisDays(cancelledAt, elapsed) <= now) return PURGE_AFTER_DAYS - elapsed;
  }
  return PURGE_AFTER_DAYS;
}

/** The reading of the clocks of Paris, as if it were UTC; milliseconds kept. */
function wallTime(instant: Date): number {
  return instant.getTime() + offsetAt(Math.floor(instant.getTime() / HOUR_MS));
}

const HOUR_MS = 3_600_000;
const MAX_KEPT = 10_000;
const offsets = new Map<number, number>();

/** How far the clocks of Paris are ahead in an hour, kept: asking costs 20 µs, and a plan of reminders asks thousands of times. They only change on the hour. */
function offsetAt(hour: number): number {
  const kept = offsets.get(hour);
  if (kept !== undefined) return kept;
  const parts = Object.fromEntries(
    WALL_CLOCK.formatToParts(hour * HOUR_MS).map((part) => [part.type, part.value]),
  );
  const wall = Date.parse(
    `${parts["year"]}-${parts["month"]}-${parts["day"]}T${parts["hour"]}:${parts["minute"]}:${parts["second"]}Z`,
  );
  if (offsets.size >= MAX_KEPT) offsets.clear();
  offsets.set(hour, wall - hour * HOUR_MS);
  return wall - hour * HOUR_MS;
}

/** The instant that reads so in Paris. A reading that the spring change skips is taken an hour later; one that occurs twice in autumn, the first time. */
function fromWallTime(wall: number): Date {
  const offsetBefore = wallTime(new Date(wall - 86_400_000)) - (wall - 86_400_000);
  const offsetAfter = wallTime(new Date(wall + 86_400_000)) - (wall + 86_400_000);
  const first = new Date(wall - offsetBefore);
  if (offsetBefore === offsetAfter || wallTime(first) === wall) return first;
  const second = new Date(wall - offsetAfter);
  return wallTime(second) === wall ? second : first;
}

/** Gives the moment before which what was closed is kept no longer. On 29 February, that of 28 February: never a day too early. */
export function retentionStart(now: Date): Date {
  const start = new Date(now);
  start.setUTCFullYear(start.getUTCFullYear() - EVIDENCE_RETENTION_YEARS);
  // There was no such day that year, and the date went over to the next month: back to the last day of its own.
  if (start.getUTCMonth() !== now.getUTCMonth()) start.setUTCDate(0);
  return start;
}
