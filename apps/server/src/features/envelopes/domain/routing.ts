import { problem, type Problem, type SignsBefore, whenInWords } from "@paraphe/contracts";
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

/** Gives those whose signature is waited for before this recipient's, in the order they sign; nobody in a parallel flow. */
export function signsBefore(
  { flow, recipients }: { readonly flow: Flow; readonly recipients: readonly (Routed & Pick<EnvelopeRecipient, "fullName">)[] },
  recipientId: string,
): SignsBefore {
  const own = recipients.find((recipient) => recipient.id === recipientId);
  if (own === undefined || flow === "parallel") return { count: 0, names: [] };
  const before = recipients.filter((recipient) => mustSign(recipient) && recipient.status !== "signed" && recipient.order < own.order);
  const names = before.toSorted((one, other) => one.order - other.order).map((recipient) => recipient.fullName);
  return { count: names.length, names };
}

/** The refusal of an act before one's turn; whoever reads it has proved who they are. */
export function notYourTurn(before: SignsBefore): Problem {
  return problem("not_your_turn", { params: { when: whenInWords(before) } });
}
