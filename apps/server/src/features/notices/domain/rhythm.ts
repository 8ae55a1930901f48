import { NOTICES, type NoticeChannel, type NoticeKind, type NoticeRhythm } from "./notice.ts";

/** From 20 h to 8 h in Paris: the night in which nothing that can wait is sent. */
const EVENING = 20;
const MORNING = 8;
const HOUR_MS = 3_600_000;

const PARIS = new Intl.DateTimeFormat("en-CA", {
  timeZone: "Europe/Paris",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  hourCycle: "h23",
});

/** Tells whether that moment is in the quiet hours. */
export function isQuiet(now: Date): boolean {
  const { hour } = inParis(now);
  return hour >= EVENING || hour < MORNING;
}

/** Gives the first 8 h in Paris after that moment. */
export function nextMorning(now: Date): Date {
  const { year, month, day } = inParis(now);
  const today = morningOf(year, month, day);
  return today > now ? today : morningOf(year, month, day + 1);
}

/** Paris is one hour ahead of UTC, or two in summer; no change of clocks is between 7 h and 9 h (directive 2000/84/CE: at 1 h UTC). */
function morningOf(year: number, month: number, day: number): Date {
  const winter = new Date(Date.UTC(year, month - 1, day, MORNING - 1));
  return new Date(winter.getTime() - (inParis(winter).hour - MORNING) * HOUR_MS);
}

function inParis(moment: Date): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
} {
  const parts = PARIS.formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((entry) => entry.type === type)?.value);
  return { year: part("year"), month: part("month"), day: part("day"), hour: part("hour") };
}

/** Why a message waits, and until when. */
export type Hold = { readonly reason: "quiet" | "summary"; readonly notBefore: Date };

/** Gives what a message waits for, or null when it leaves at once. Texts and pushes are never put together: the night alone holds them. */
export function holdOf(
  notice: {
    readonly kind: NoticeKind;
    readonly channel: NoticeChannel;
    readonly rhythm?: NoticeRhythm | undefined;
  },
  now: Date,
): Hold | null {
  if (notice.rhythm === undefined || NOTICES[notice.kind].canWait !== true) return null;
  if (notice.rhythm.dailySummary && notice.channel === "email")
    return { reason: "summary", notBefore: nextMorning(now) };
  if (notice.rhythm.quietHours && isQuiet(now))
    return { reason: "quiet", notBefore: nextMorning(now) };
  return null;
}
