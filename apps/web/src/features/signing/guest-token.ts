const key = (envelopeId: string) => `paraphe.guest.${envelopeId}`;
const inMemory = new Map<string, string>();

/**
 * Takes the guest's token out of the address bar before anything else is shown, and keeps it for this tab:
 * in memory, and in the tab's own storage so that a reload works. It never stays in the history, a bookmark or a referrer.
 */
export function takeGuestToken(
  envelopeId: string,
  from: { readonly location: Location; readonly history: History },
): string | null {
  const url = new URL(from.location.href);
  const token = url.searchParams.get("token");
  if (!token) return readGuestToken(envelopeId);
  url.searchParams.delete("token");
  from.history.replaceState(from.history.state, "", url.pathname + url.search + url.hash);
  inMemory.set(envelopeId, token);
  store(() => sessionStorage.setItem(key(envelopeId), token));
  return token;
}

/** Gives the token this tab holds for an envelope. */
export function readGuestToken(envelopeId: string): string | null {
  return inMemory.get(envelopeId) ?? store(() => sessionStorage.getItem(key(envelopeId))) ?? null;
}

function store<T>(action: () => T): T | null {
  try {
    return action();
  } catch (cause) {
    // Storage refused (private mode): memory is enough until the tab is reloaded.
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}
