import type { Envelope } from "./envelope.ts";
import { outcomeOf } from "./transitions.ts";

/** Days before the deadline at which people are warned, the nearest first. */
const WARNINGS = [1, 2] as const;
export type WarningDays = (typeof WARNINGS)[number];
const DAY_MS = 86_400_000;

/** What a warning is decided on; `warnedDays`: the last one given. */
export type DeadlineState = Pick<Envelope, "status" | "deadlineAt" | "sentAt"> & { readonly warnedDays: number | null };

/** Gives what a new deadline has announced by itself: the warning whose moment has passed already, or null. */
export function warnedBy(deadlineAt: Date, now: Date): WarningDays | null {
  return WARNINGS.find((days) => deadlineAt.getTime() - days * DAY_MS <= now.getTime()) ?? null;
}

/**
 * Gives the warning that is due, or null: each once, in an open envelope whose deadline is near. One whose moment had passed when the
 * envelope was sent is not given: the invitation has just told the deadline.
 */
export function decideWarning(envelope: DeadlineState, now: Date): WarningDays | null {
  const { deadlineAt, sentAt, warnedDays } = envelope;
  if (!outcomeOf(envelope.status, "remind").ok || deadlineAt === null || sentAt === null || deadlineAt <= now) return null;
  const due = WARNINGS.find((days) => {
    const moment = deadlineAt.getTime() - days * DAY_MS;
    return moment <= now.getTime() && sentAt.getTime() <= moment && (warnedDays === null || warnedDays > days);
  });
  return due ?? null;
}
