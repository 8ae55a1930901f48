import type { Reader } from "../../platform/database/database.ts";
import { commitment, eventHash } from "./event-hash.ts";
import { selectEventsAfter, type StoredEvent } from "./store.ts";

/** `count`: events read. `sequence` is that of the first event that does not hold. */
export type ChainVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Uint8Array | null }
  | {
      readonly ok: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: "gap" | "previous_hash" | "hash" | "commitment";
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
      const reason = faultOf(event, { envelopeId, sequence, previous: place.head });
      if (reason !== null) return { verdict: { ok: false, count: sequence, sequence, reason }, beforeLast };
      [beforeLast, place] = [place, { count: sequence, head: event.hash }];
    }
    if (events.length < BATCH) return { verdict: { ok: true, ...place }, beforeLast };
  }
}

type Expected = { readonly envelopeId: string; readonly sequence: number; readonly previous: Uint8Array | null };

function faultOf(event: StoredEvent, expected: Expected): "gap" | "previous_hash" | "hash" | "commitment" | null {
  if (event.sequence !== expected.sequence) return "gap";
  if (!same(event.previousHash, expected.previous)) return "previous_hash";
  const hashed = {
    envelope_id: expected.envelopeId,
    at: event.at.toISOString(),
    actor: event.actor,
    action: event.action,
    detail: event.detail,
  };
  if (!same(event.hash, eventHash(expected.previous, hashed))) return "hash";
  const commitments = (event.detail["commitments"] ?? {}) as Record<string, string>;
  const kept = Object.entries(event.personal).every(
    ([name, item]) => commitments[name] === Buffer.from(commitment(Buffer.from(item.salt, "hex"), item.value)).toString("hex"),
  );
  return kept ? null : "commitment";
}

function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}
