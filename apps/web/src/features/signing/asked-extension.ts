import { parisDay } from "../../lib/format-dates.ts";
import { shortHash } from "../../lib/short-hash.ts";

/** Who asks: the account, or the link of a guest, of which nothing can be read back from what is noted. */
export type Asker = { readonly envelopeId: string; readonly recipient: string };

const key = ({ envelopeId, recipient }: Asker) => `paraphe.extension.${envelopeId}.${shortHash(recipient)}`;
/** The service counts by the day in Paris, wherever the device is. */
const today = () => parisDay(new Date());

/** Tells whether this person asked for more time from this browser today: the service tells the sender once a day. */
export function isAskedToday(asker: Asker): boolean {
  return withStorage((storage) => storage.getItem(key(asker)) === today()) ?? false;
}

/** Notes that more time was asked for today. */
export function noteAsked(asker: Asker): void {
  withStorage((storage) => storage.setItem(key(asker), today()));
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
