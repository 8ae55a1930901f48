import { eventFault, type StoredEvent } from "../../journal/public.ts";

/** What recomputing a journal gives. `unlike_log`: it holds, and is not the one that stands in the transparency log. */
export type JournalVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Uint8Array }
  | { readonly ok: false; readonly sequence: number; readonly reason: "broken" | "unlike_log" };

/**
 * Recomputes the chain of a journal read whole, and compares it with every head of it that the log holds, by the number of its event. An envelope has had an event since
 * it exists.
 */
export function judgeJournal(
  envelopeId: string,
  events: readonly StoredEvent[],
  heads: ReadonlyMap<number, string>,
): JournalVerdict {
  let head: Uint8Array | null = null;
  for (const [index, event] of events.entries()) {
    const sequence = index + 1;
    if (eventFault(event, { envelopeId, sequence, previous: head }) !== null)
      return { ok: false, sequence, reason: "broken" };
    head = event.hash;
  }
  if (head === null) return { ok: false, sequence: 1, reason: "broken" };
  for (const [sequence, logged] of heads) {
    const kept = events[sequence - 1]?.hash;
    if (kept === undefined || Buffer.from(kept).toString("hex") !== logged)
      return { ok: false, sequence, reason: "unlike_log" };
  }
  return { ok: true, count: events.length, head };
}
