import type { StoredEvent } from "../audit/index.ts";

/** What is sent to nobody is created at once with what its owner signs. */
const SENDINGS: ReadonlySet<string> = new Set(["envelope_sent", "envelope_created"]);

/**
 * Gives the address that the sender's account had when it sent, as the journal commits to it; undefined of a journal that does not (those of before 23 November 2026), or whose value was erased.
 * The account may have another one since: that is no fault, and no business of this file's.
 */
export function senderInJournal(events: readonly StoredEvent[]): string | undefined {
  const sending = events.findLast(({ action, personal }) => SENDINGS.has(action) && personal["sender_email"] !== undefined);
  const value = sending?.personal["sender_email"]?.value;
  return typeof value === "string" ? value : undefined;
}
