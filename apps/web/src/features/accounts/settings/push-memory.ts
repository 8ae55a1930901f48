const KEY = "paraphe.push";

/** Remembers on this browser whose notifications it receives: another person who signs in here has not asked for theirs. */
export function rememberPush(userId: string | null): void {
  try {
    if (userId === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, userId);
  } catch (cause) {
    // Storage may be refused by the browser: the subscription is then renewed from the settings only.
    if (!(cause instanceof DOMException)) throw cause;
  }
}

/** Tells whether this browser receives this person's notifications. */
export function remembersPush(userId: string): boolean {
  try {
    return localStorage.getItem(KEY) === userId;
  } catch (cause) {
    if (cause instanceof DOMException) return false;
    throw cause;
  }
}
