import type { EventName, Instant } from "@paraphe/contracts";

export type { EventName };

/**
 * Who acts. The id stands in the chain for ever; name, address and browser are personal data, kept
 * beside it and erasable.
 * `id` is null for the service itself (`system`).
 */
export type AuditActor = {
  readonly kind: "user" | "recipient" | "system";
  readonly id: string | null;
  readonly name?: string | null;
  readonly ip?: string | null;
  readonly userAgent?: string | null;
};

/** The service itself: scheduled jobs, sealing. */
export const SYSTEM_ACTOR: AuditActor = { kind: "system", id: null };

export type AuditValue = string | number | boolean | null | readonly string[];

export type NewAuditEvent = {
  readonly envelopeId: string;
  readonly action: EventName;
  readonly actor: AuditActor;
  /** Facts that name nobody: ids, hashes, counts, states. Kept for ever. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  /** Personal data: only a salted commitment enters the chain. */
  readonly personal?: Readonly<Record<string, AuditValue>>;
};

/** What is hashed, beside the previous hash. */
export type HashedEvent = {
  readonly envelope_id: string;
  readonly at: Instant;
  readonly actor: string;
  readonly action: string;
  readonly detail: unknown;
};

/** Gives the actor as the chain keeps it: `user:{id}`, `recipient:{id}` or `system`. */
export function actorKey(actor: AuditActor): string {
  return actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`;
}
