import type { NoticeChannel, NoticeKind } from "./notice.ts";
import type { NoticeRhythm } from "./notice-rhythm.ts";
import { isQuiet, nextMorning } from "./quiet-hours.ts";

/** Why a message waits, and until when. */
export type Hold = { readonly reason: "quiet" | "summary"; readonly notBefore: Date };

/** What tells, and asks for nothing within hours. A request, a code, and whatever is about the account itself never wait. */
const CAN_WAIT: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  "signed",
  "completed",
  "declined",
  "cancelled",
  "expired",
  "expiring",
  "extension_requested",
  "batch_ended",
]);

/** Gives what a message waits for, or null when it leaves at once. Texts and pushes are never put together: the night alone holds them. */
export function holdOf(
  notice: { readonly kind: NoticeKind; readonly channel: NoticeChannel; readonly rhythm?: NoticeRhythm | undefined },
  now: Date,
): Hold | null {
  if (notice.rhythm === undefined || !CAN_WAIT.has(notice.kind)) return null;
  if (notice.rhythm.dailySummary && notice.channel === "email") return { reason: "summary", notBefore: nextMorning(now) };
  if (notice.rhythm.quietHours && isQuiet(now)) return { reason: "quiet", notBefore: nextMorning(now) };
  return null;
}
