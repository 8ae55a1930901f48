/** A consent that is committed and not sealed yet. */
export type WaitingAct = { readonly id: string; readonly recipientId: string; readonly signedAt: Date; readonly failedTries: number };

/** At the pace of the retries this is more than an hour of failures: longer than an outage of the time-stamping authority is worth waiting for in silence. */
const STUCK_TRIES = 20;
const STUCK_MS = 24 * 3_600_000;

/** Says whether nobody can expect this consent to be sealed any more by waiting: its sender may then cancel all the same. */
export function isStuck(act: WaitingAct, now: Date): boolean {
  return act.failedTries >= STUCK_TRIES || now.getTime() - act.signedAt.getTime() >= STUCK_MS;
}
