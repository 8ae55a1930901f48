import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { AuditValue, HashedEvent } from "./domain/audit-event.ts";

/** Gives the canonical JSON of an event, the part of its hash that follows the previous hash. Source: RFC 8785. */
export function canonicalEvent(event: HashedEvent): Uint8Array {
  return canonicalBytes(event);
}

/** Gives `SHA-256(previous ‖ canonical JSON)`; the first event of an envelope has no previous hash. */
export function eventHash(previous: Uint8Array | null, event: HashedEvent): Uint8Array {
  const hash = createHash("sha256");
  if (previous !== null) hash.update(previous);
  return new Uint8Array(hash.update(canonicalEvent(event)).digest());
}

/** Every salt has this length, no other: that is what tells where the salt ends and the value begins. */
export const SALT_BYTES = 16;

/** Gives the commitment to a value: `SHA-256(salt ‖ canonical JSON)`. The salt keeps a short value from being guessed once it is erased. */
export function commitment(salt: Uint8Array, value: AuditValue): Uint8Array {
  return new Uint8Array(createHash("sha256").update(salt).update(canonicalBytes(value)).digest());
}

function canonicalBytes(value: unknown): Uint8Array {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("An audit event holds a value that JSON cannot write");
  return new TextEncoder().encode(text);
}
