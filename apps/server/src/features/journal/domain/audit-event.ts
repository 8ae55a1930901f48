import type { EventName, Instant } from "@paraphe/contracts";

export type { EventName };

/** The id is permanent; name, address and browser are erasable. `id` is null for `system`. */
export type AuditActor = {
  readonly kind: "user" | "recipient" | "system";
  readonly id: string | null;
  readonly name?: string | null;
  readonly ip?: string | null;
  readonly userAgent?: string | null;
};

/** Scheduled jobs and sealing. */
export const SYSTEM_ACTOR: AuditActor = { kind: "system", id: null };

export type AuditValue = string | number | boolean | null | readonly string[];

export type NewAuditEvent = {
  readonly envelopeId: string;
  readonly action: EventName;
  readonly actor: AuditActor;
  /** Impersonal facts, permanent: ids, hashes, counts, states. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  /** Personal data: the chain has only a salted commitment. */
  readonly personal?: Readonly<Record<string, AuditValue>>;
};

/** Hashed together with the previous hash. */
export type HashedEvent = {
  readonly envelope_id: string;
  readonly at: Instant;
  readonly actor: string;
  readonly action: string;
  readonly detail: unknown;
};

/** `user:{id}`, `recipient:{id}` or `system`. */
export function actorKey(actor: AuditActor): string {
  return actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`;
}
