import { RESEND_COOLDOWN_S } from "@paraphe/contracts";

const KEY = "paraphe-reset-again-at";

/** Keeps when a reset link may be asked for again, for as long as the tab is open: a reload does not begin the wait anew, nor end it. */
export function keepResetWait(until: number): number {
  try {
    sessionStorage.setItem(KEY, String(until));
  } catch (cause) {
    // Storage is refused or full: the wait is then known to this page alone.
    if (!(cause instanceof DOMException)) throw cause;
  }
  return until;
}

/** Gives when a reset link may be asked for again; undefined when it may now, or when what is kept cannot be. */
export function readResetWait(): number | undefined {
  try {
    const until = Number(sessionStorage.getItem(KEY));
    const left = until - Date.now();
    return left > 0 && left <= RESEND_COOLDOWN_S * 1000 ? until : undefined;
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
    return undefined;
  }
}
