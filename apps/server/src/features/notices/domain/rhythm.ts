import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { parisHour, parisTime } from "@paraphe/kernel/paris-time";
import { NOTICES, type NoticeChannel, type NoticeKind, type NoticeRhythm } from "./notice.ts";

/** Hours in Paris. */
const EVENING = 20;
const MORNING = 8;

export function isQuiet(now: Date): boolean {
  const hour = parisHour(now);
  return hour >= EVENING || hour < MORNING;
}

export function nextMorning(now: Date): Date {
  const day = parisDay(now);
  const today = parisTime(day, MORNING);
  return today > now ? today : parisTime(addDays(day, 1), MORNING);
}

export type Hold = { readonly reason: "quiet" | "summary"; readonly notBefore: Date };

/** Why a message waits, or null. A daily summary is for mails only. */
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
