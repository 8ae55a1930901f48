import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import type { Reader } from "../../platform/database/database.ts";
import type { AuditValue, HashedEvent } from "./domain/audit-event.ts";
import { selectEventsAfter, type StoredEvent } from "./store.ts";

/**
 * Gives the canonical JSON of an event, the part of its hash that follows the previous hash.
 * Source: RFC 8785.
 */
export function canonicalEvent(event: HashedEvent): Uint8Array {
  return canonicalBytes(event);
}

/**
 * Gives `SHA-256(previous ‖ canonical JSON)`; the first event of an envelope has no previous hash.
 */
export function eventHash(previous: Uint8Array | null, event: HashedEvent): Uint8Array {
  const hash = createHash("sha256");
  if (previous !== null) hash.update(previous);
  return new Uint8Array(hash.update(canonicalEvent(event)).digest());
}

/**
 * Every salt has this length, no other: that is what tells where the salt ends and the value
 * begins.
 */
export const SALT_BYTES = 16;

/**
 * Gives the commitment to a value: `SHA-256(salt ‖ canonical JSON)`. The salt keeps a short value
 * from being guessed once it is erased.
 */
export function commitment(salt: Uint8Array, value: AuditValue): Uint8Array {
  return new Uint8Array(createHash("sha256").update(salt).update(canonicalBytes(value)).digest());
}

function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value));
}

/**
 * `gap`: not of that number; `previous_hash`: not after that one; `hash`: not what was hashed;
 * `commitment`: a personal value other than the one committed to.
 */
export type EventFault = "gap" | "previous_hash" | "hash" | "commitment";

/** What must stand there: an event of this envelope and number, after the one of this hash. */
type ExpectedEvent = {
  readonly envelopeId: string;
  readonly sequence: number;
  readonly previous: Uint8Array | null;
};

/** Says what is wrong with an event where another is expected; null when nothing is. */
export function eventFault(event: StoredEvent, expected: ExpectedEvent): EventFault | null {
  if (event.sequence !== expected.sequence) return "gap";
  if (!same(event.previousHash, expected.previous)) return "previous_hash";
  const hashed = {
    envelope_id: expected.envelopeId,
    at: event.at.toISOString(),
    actor: event.actor,
    action: event.action,
    detail: event.detail,
  };
  // What is finer than a millisecond was never hashed: somebody else wrote it.
  if (event.isUneven || !same(event.hash, eventHash(expected.previous, hashed))) return "hash";
  const commitments = (event.detail["commitments"] ?? {}) as Record<string, string>;
  const kept = Object.entries(event.personal).every(
    ([name, item]) =>
      isSalt(item.salt) &&
      commitments[name] === toHex(commitment(Buffer.from(item.salt, "hex"), item.value)),
  );
  return kept ? null : "commitment";
}

/**
 * A salt of another length could take in the beginning of the value, or give it some of its own:
 * two values would open one commitment.
 */
function isSalt(hex: string): boolean {
  return hex.length === 2 * SALT_BYTES && /^[0-9a-f]*$/.test(hex);
}

function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}

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

/**
 * Recomputes an envelope's chain from its first event: dense, each hash over the previous one, each
 * personal value still there behind its commitment.
 */
export async function verifyChain(reader: Reader, envelopeId: string): Promise<ChainVerdict> {
  return (await verifyChainFrom(reader, envelopeId, START)).verdict;
}

/**
 * Recomputes a chain from a place on, up to which it is known to hold. `beforeLast` is the place
 * from which its last event alone is to be read again.
 */
export async function verifyChainFrom(
  reader: Reader,
  envelopeId: string,
  from: ChainPlace = START,
): Promise<{ readonly verdict: ChainVerdict; readonly beforeLast: ChainPlace }> {
  let [place, beforeLast] = [from, from];
  for (;;) {
    const events: readonly StoredEvent[] = await selectEventsAfter(reader, envelopeId, {
      afterSequence: place.count,
      limit: BATCH,
    });
    for (const event of events) {
      const sequence = place.count + 1;
      const reason = eventFault(event, { envelopeId, sequence, previous: place.head });
      if (reason !== null)
        return { verdict: { ok: false, count: sequence, sequence, reason }, beforeLast };
      [beforeLast, place] = [place, { count: sequence, head: event.hash }];
    }
    if (events.length < BATCH) return { verdict: { ok: true, ...place }, beforeLast };
  }
}
