import { mustSign, type EnvelopeRecipient, type Flow } from "./envelope.ts";

type Routed = Pick<EnvelopeRecipient, "id" | "role" | "order" | "status">;

/**
 * Gives the ids of those whose signature is asked for now: all who have not signed, or in a sequential flow the lowest rank that has not; equal ranks sign in parallel.
 * A viewer is never among them.
 */
export function awaitedRecipients(flow: Flow, recipients: readonly Routed[]): ReadonlySet<string> {
  const open = recipients.filter((recipient) => mustSign(recipient) && recipient.status !== "signed" && recipient.status !== "declined");
  const rank = Math.min(...open.map((recipient) => recipient.order));
  return new Set(open.filter((recipient) => flow === "parallel" || recipient.order === rank).map((recipient) => recipient.id));
}
