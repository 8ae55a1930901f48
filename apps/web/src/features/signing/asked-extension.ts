const key = (envelopeId: string) => `paraphe.extension.${envelopeId}`;
const today = () => new Date().toLocaleDateString("sv-SE");

/** Tells whether more time was asked for from this browser today: the service tells the sender once a day. */
export function isAskedToday(envelopeId: string): boolean {
  return withStorage((storage) => storage.getItem(key(envelopeId)) === today()) ?? false;
}

/** Notes that more time was asked for today. */
export function noteAsked(envelopeId: string): void {
  withStorage((storage) => storage.setItem(key(envelopeId), today()));
}

function withStorage<T>(action: (storage: Storage) => T): T | null {
  try {
    return action(localStorage);
  } catch (cause) {
    // A full or forbidden storage only costs this comfort: the service answers that the sender knows.
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}
