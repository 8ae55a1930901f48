import { commitment, eventHash, SALT_BYTES } from "./event-hash.ts";
import type { StoredEvent } from "./store.ts";

/** `gap`: not of that number; `previous_hash`: not after that one; `hash`: not what was hashed; `commitment`: a personal value other than the one committed to. */
export type EventFault = "gap" | "previous_hash" | "hash" | "commitment";

/** What must stand there: an event of this envelope and number, after the one of this hash. */
export type ExpectedEvent = { readonly envelopeId: string; readonly sequence: number; readonly previous: Uint8Array | null };

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
      isSalt(item.salt) && commitments[name] === Buffer.from(commitment(Buffer.from(item.salt, "hex"), item.value)).toString("hex"),
  );
  return kept ? null : "commitment";
}

/** A salt of another length could take in the beginning of the value, or give it some of its own: two values would open one commitment. */
function isSalt(hex: string): boolean {
  return hex.length === 2 * SALT_BYTES && /^[0-9a-f]*$/.test(hex);
}

function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}
