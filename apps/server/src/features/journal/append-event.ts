import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { actorKey, type AuditValue, type NewAuditEvent } from "./domain/audit-event.ts";
import { canonicalEvent, commitment, SALT_BYTES } from "./event-hash.ts";
import { type EventToInsert, insertEvents } from "./store.ts";

/**
 * Appends an event in the transaction of its change. The caller's lock on the envelope's row keeps
 * the chain dense.
 */
export function appendEvent(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "random">,
  event: NewAuditEvent,
): Promise<void> {
  return appendEvents(trx, platform, [event]);
}

/** `appendEvent` for several envelopes, in order, in one statement. */
export async function appendEvents(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "random">,
  events: readonly NewAuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await insertEvents(
    trx,
    events.map((event) => sealed(platform, event)),
  );
}

function sealed(platform: Pick<Platform, "clock" | "random">, event: NewAuditEvent): EventToInsert {
  const personal = Object.entries(personalValues(event)).map(([name, value]) => ({
    name,
    value,
    salt: platform.random(SALT_BYTES),
  }));
  const commitments = Object.fromEntries(
    personal.map((item) => [item.name, toHex(commitment(item.salt, item.value))]),
  );
  const hashed = {
    envelope_id: event.envelopeId,
    at: platform.clock().toISOString(),
    actor: actorKey(event.actor),
    action: event.action,
    detail: { ...event.detail, ...(personal.length > 0 ? { commitments } : {}) },
  };
  return { hashed, canonical: canonicalEvent(hashed), personal };
}

function personalValues(event: NewAuditEvent): Record<string, AuditValue> {
  const { name, ip, userAgent } = event.actor;
  return {
    ...event.personal,
    ...(name ? { actor_name: name } : {}),
    ...(ip ? { ip } : {}),
    ...(userAgent ? { user_agent: userAgent.slice(0, 400) } : {}),
  };
}
