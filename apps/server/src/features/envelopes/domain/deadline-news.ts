/** What one recipient knows of an envelope's deadline: the one they were told last, and whether they still have to hear that their link works again. */
export type DeadlineNews = { readonly knownDeadlineAt: Date | null; readonly reopened: boolean };

/** Whoever sets a deadline often sets it again: it is told once it has not moved for this long. */
const SETTLES_MS = 2 * 60_000;
/** A deadline this near is told at once. */
const NEAR_MS = 60 * 60_000;

/** Gives when another deadline is told, should it not move again meanwhile; null: at once. */
export function announcedAt(deadlineAt: Date | null, now: Date): Date | null {
  const isNear = deadlineAt !== null && deadlineAt.getTime() - now.getTime() < NEAR_MS;
  return isNear ? null : new Date(now.getTime() + SETTLES_MS);
}

/** Says whether this deadline is something that the recipient has not heard yet. */
export function isNews(known: DeadlineNews, deadlineAt: Date): boolean {
  return known.reopened || known.knownDeadlineAt?.getTime() !== deadlineAt.getTime();
}
