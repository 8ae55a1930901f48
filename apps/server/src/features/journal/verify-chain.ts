import type { Reader } from "../../platform/database/database.ts";
import { type EventFault, eventFault } from "./event-fault.ts";
import { selectEventsAfter, type StoredEvent } from "./store.ts";

/** `count`: events read. `sequence` is that of the first event that does not hold. */
export type ChainVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Uint8Array | null }
  | {
      readonly ok: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: EventFault;
    };

const BATCH = 1_000;

/** A place in a chain: so many events, and the hash of the last of them. */
export type ChainPlace = { readonly count: number; readonly head: Uint8Array | null };
const START: ChainPlace = { count: 0, head: null };

/** Recomputes an envelope's chain from its first event: dense, each hash over the previous one, each personal value still there behind its commitment. */
export async function verifyChain(reader: Reader, envelopeId: string): Promise<ChainVerdict> {
  return (await verifyChainFrom(reader, envelopeId, START)).verdict;
}

/** Recomputes a chain from a place on, up to which it is known to hold. `beforeLast` is the place from which its last event alone is to be read again. */
export async function verifyChainFrom(
  reader: Reader,
  envelopeId: string,
  from: ChainPlace = START,
): Promise<{ readonly verdict: ChainVerdict; readonly beforeLast: ChainPlace }> {
  let [place, beforeLast] = [from, from];
  for (;;) {
    const events: readonly StoredEvent[] = await selectEventsAfter(reader, envelopeId, { afterSequence: place.count, limit: BATCH });
    for (const event of events) {
      const sequence = place.count + 1;
      const reason = eventFault(event, { envelopeId, sequence, previous: place.head });
      if (reason !== null) return { verdict: { ok: false, count: sequence, sequence, reason }, beforeLast };
      [beforeLast, place] = [place, { count: sequence, head: event.hash }];
    }
    if (events.length < BATCH) return { verdict: { ok: true, ...place }, beforeLast };
  }
}
