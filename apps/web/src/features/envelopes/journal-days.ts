import type { AuditEvent } from "@paraphe/contracts";
import { parisDay } from "../../lib/format-dates.ts";

/** An event as the page tells it: `count` of the same one after the other, the newest of which is shown, the oldest of `since`. */
export type JournalFold = { readonly event: AuditEvent; readonly count: number; readonly since: string };
export type JournalDay = { readonly day: string; readonly folds: readonly JournalFold[] };

/**
 * Gives events, newest first, by their day in Paris; the changes of a draft that one person made one after the other are one line.
 * The journal itself keeps each: only the page folds them.
 */
export function journalDays(events: readonly AuditEvent[]): readonly JournalDay[] {
  const days: { day: string; folds: JournalFold[] }[] = [];
  for (const event of events) {
    const day = parisDay(event.at);
    let last = days.at(-1);
    if (last?.day !== day) {
      last = { day, folds: [] };
      days.push(last);
    }
    const fold = last.folds.at(-1);
    if (fold && isSameChange(fold.event, event)) last.folds[last.folds.length - 1] = { ...fold, count: fold.count + 1, since: event.at };
    else last.folds.push({ event, count: 1, since: event.at });
  }
  return days;
}

/** The newest lines of a journal, at most so many, still by their days. */
export function latestOf(days: readonly JournalDay[], most: number): readonly JournalDay[] {
  const latest: JournalDay[] = [];
  let left = most;
  for (const { day, folds } of days) {
    if (left === 0) break;
    latest.push({ day, folds: folds.slice(0, left) });
    left -= Math.min(left, folds.length);
  }
  return latest;
}

function isSameChange(one: AuditEvent, other: AuditEvent): boolean {
  return one.action === "envelope_updated" && other.action === one.action && other.actor === one.actor && other.ip === one.ip;
}
