import type { LiveEndEvent, LiveEnvelopeEvent, StoredStatus } from "@paraphe/contracts";

/** An envelope as far as it matters to tell who is concerned. */
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
 * Gives what one person is told of a changed envelope; null when it does not concern them: a stranger, a recipient of a draft or not invited yet.
 * A recipient of a cancelled envelope is told so, because the page may still be open; of a purged one nothing is said but to its owner.
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

/** Gives one event as it is written on the stream. Source: HTML Living Standard §9.2.6; JSON holds no line break. */
export function eventText(name: "envelope", data: LiveEnvelopeEvent): string;
export function eventText(name: "counts", data: object): string;
export function eventText(name: "end", data: LiveEndEvent): string;
export function eventText(name: "refresh", data: Record<string, never>): string;
export function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment, which no page sees: it keeps proxies from closing a silent stream. */
export const HEARTBEAT = ":\n\n";

/** Gives when a browser may come back after the stream broke, not all at the same moment. `chance` is between 0 and 1. */
export function retryText(chance: number): string {
  return `retry: ${Math.round(2_000 + 3_000 * chance)}\n\n`;
}
