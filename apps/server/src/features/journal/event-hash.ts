import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { createHash } from "node:crypto";
import type { Reader } from "../../platform/database/database.ts";
import type { AuditValue, HashedEvent } from "./domain/audit-event.ts";
import { selectEventsAfter, type StoredEvent } from "./store.ts";

/** Source: RFC 8785. */
export function canonicalEvent(event: HashedEvent): Uint8Array {
  return canonicalBytes(event);
}

/** `SHA-256(previous ‖ canonical JSON)`; the first event has no previous hash. */
export function eventHash(previous: Uint8Array | null, event: HashedEvent): Uint8Array {
  const hash = createHash("sha256");
  if (previous !== null) hash.update(previous);
  return new Uint8Array(hash.update(canonicalEvent(event)).digest());
}

/** Fixed: it separates the salt from the value. */
export const SALT_BYTES = 16;

/** `SHA-256(salt ‖ canonical JSON)`. Without the salt an erased short value could be guessed. */
export function commitment(salt: Uint8Array, value: AuditValue): Uint8Array {
  return new Uint8Array(createHash("sha256").update(salt).update(canonicalBytes(value)).digest());
}

function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalJson(value));
}

/** `gap`: another number; `commitment`: another value than committed to. */
export type EventFault = "gap" | "previous_hash" | "hash" | "commitment";

type ExpectedEvent = {
  readonly envelopeId: string;
  readonly sequence: number;
  readonly previous: Uint8Array | null;
};

/** Null when the event is as expected. */
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
  if (event.isUneven || !same(event.hash, eventHash(expected.previous, hashed))) return "hash";
  const commitments = (event.detail["commitments"] ?? {}) as Record<string, string>;
  const kept = Object.entries(event.personal).every(
    ([name, item]) =>
      isSalt(item.salt) &&
      commitments[name] ===
        Buffer.from(commitment(Buffer.from(item.salt, "hex"), item.value)).toString("hex"),
  );
  return kept ? null : "commitment";
}

function isSalt(hex: string): boolean {
  return hex.length === 2 * SALT_BYTES && /^[0-9a-f]*$/.test(hex);
}

function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}

/** `sequence`: of the first event that fails. */
export type ChainVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Uint8Array | null }
  | {
      readonly ok: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: EventFault;
    };

const BATCH = 1_000;

/** So many events, and the hash of the last. */
export type ChainPlace = { readonly count: number; readonly head: Uint8Array | null };
const START: ChainPlace = { count: 0, head: null };

/** Dense numbers, each hash over the previous one, each personal value matching its commitment. */
export async function verifyChain(reader: Reader, envelopeId: string): Promise<ChainVerdict> {
  return (await verifyChainFrom(reader, envelopeId, START)).verdict;
}

/** From a verified place on. `beforeLast`: from which the last event alone is read again. */
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
