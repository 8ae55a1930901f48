import type { LiveEndEvent, LiveEnvelopeEvent, StoredStatus } from "@paraphe/contracts";

export type WatchedEnvelope = {
  readonly id: string;
  readonly version: number;
  readonly status: StoredStatus;
  readonly ownerId: string;
  readonly isPurged: boolean;
  readonly recipients: readonly {
    readonly emailKey: string;
    readonly isInvited: boolean;
    readonly isAwaited: boolean;
  }[];
};

export type Person = {
  readonly id: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
};

/**
 * Null for others, and for recipients of a draft or not invited yet. A cancellation reaches
 * recipients, whose page may be open; a purge the owner only.
 */
export function envelopeEvent(envelope: WatchedEnvelope, person: Person): LiveEnvelopeEvent | null {
  const isOwner = envelope.ownerId === person.id;
  const key = isOwner ? person.email_key : person.recipient_key;
  const own = envelope.recipients.filter(
    (recipient) => recipient.emailKey === key && recipient.isInvited,
  );
  if (!isOwner && (own.length === 0 || envelope.status === "draft" || envelope.isPurged))
    return null;
  const isAwaited = own.some((recipient) => recipient.isAwaited);
  const status = envelope.isPurged ? "purged" : isAwaited ? "action_required" : envelope.status;
  return { id: envelope.id, version: envelope.version, status };
}

/** Source: HTML Living Standard §9.2.6; JSON has no line break. */
export function eventText(name: "envelope", data: LiveEnvelopeEvent): string;
export function eventText(name: "counts", data: object): string;
export function eventText(name: "end", data: LiveEndEvent): string;
export function eventText(name: "refresh", data: Record<string, never>): string;
export function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment that keeps proxies from closing an idle stream. */
export const HEARTBEAT = ":\n\n";

/** Spreads reconnections. `chance`: between 0 and 1. */
export function retryText(chance: number): string {
  return `retry: ${Math.round(2_000 + 3_000 * chance)}\n\n`;
}
