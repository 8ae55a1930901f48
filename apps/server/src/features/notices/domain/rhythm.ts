import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { parisHour, parisTime } from "@paraphe/kernel/paris-time";
import { NOTICES, type NoticeChannel, type NoticeKind, type NoticeRhythm } from "./notice.ts";

/** From 20 h to 8 h in Paris: the night in which nothing that can wait is sent. */
const EVENING = 20;
const MORNING = 8;

/** Says whether that moment is in the quiet hours. */
export function isQuiet(now: Date): boolean {
  const hour = parisHour(now);
  return hour >= EVENING || hour < MORNING;
}

/** Gives the first 8 h in Paris after that moment. */
export function nextMorning(now: Date): Date {
  const day = parisDay(now);
  const today = parisTime(day, MORNING);
  return today > now ? today : parisTime(addDays(day, 1), MORNING);
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
