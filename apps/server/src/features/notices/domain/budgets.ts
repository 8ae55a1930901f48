import { NOTICES, type Notice, type NoticeChannel } from "./notice.ts";

/** A message as it is counted. */
export type Counted = Pick<Notice, "kind" | "channel"> & {
  readonly destination: string;
  readonly senderId: string | null;
};
/** `about`: whom the bound protects, for the words of a refusal. `of`: what is counted; it names an address. */
export type Budget = {
  readonly of: string;
  readonly limit: number;
  readonly about: "destination" | "sender";
};

/** Every budget is of one day. */
export const BUDGET_WINDOW_S = 86_400;

/*
 * The principle: a budget is spent by whoever asks for the message, and by nothing but messages that leave. What one person asks for never stops what
 * another waits for.
 * - A mail costs nothing: each sender has a budget for each address, and no two senders share one.
 * - A text costs, so the texts to one number are bounded whoever asks; what a text cannot say any more, a mail can: a request is sent by mail instead, and
 *   a code goes by mail of itself.
 * - A one-time code is asked for by its reader, 5 an hour and 10 a day (`codes.ts`, `verify-phone.ts`): only its text is counted here,
 *   apart from all other messages.
 * - Links that anybody may ask for have no sender: each kind has a budget of its own for each address.
 * - What follows from these, once each (an end, a summary), or warns the owner of an account, is not counted, and goes.
 */

/** To one address: the links of one kind that anybody asks for. */
const BY_ANYBODY = 10;
/** `toOne`: to one address or number, whoever asks. `fromOneToOne`: from one sender to it. `fromOne`: from one account, to all. */
type Limits = { readonly toOne: number; readonly fromOneToOne: number; readonly fromOne: number };
const MAILS: Limits = { toOne: Number.POSITIVE_INFINITY, fromOneToOne: 100, fromOne: 20_000 };
const LIMITS: Readonly<Record<NoticeChannel, Limits>> = {
  email: MAILS,
  push: MAILS,
  sms: { toOne: 20, fromOneToOne: 10, fromOne: 500 },
};
const TEXTED_CODES: Limits = { toOne: 30, fromOneToOne: 20, fromOne: 500 };

/** On whose behalf a message goes: a sender's, or its reader's own; null when anybody may have asked for it. */
export function senderOf({
  kind,
  senderId,
  userId,
}: Pick<Notice, "kind" | "senderId" | "userId">): string | null {
  return NOTICES[kind].askedBy === "anybody" ? null : (senderId ?? userId ?? null);
}

/** Gives what a message is counted in. */
export function budgetsOf(message: Counted): readonly Budget[] {
  const { kind, channel } = message;
  const to = `${channel} ${message.destination.toLowerCase()}`;
  if (NOTICES[kind].askedBy === "anybody")
    return [{ of: `${kind} to ${to}`, limit: BY_ANYBODY, about: "destination" }];
  if (kind === "code" && channel === "sms") return withinLimits("codes", message, TEXTED_CODES);
  return NOTICES[kind].askedBy === "sender"
    ? withinLimits("requests", message, LIMITS[channel])
    : [];
}

function withinLimits(
  what: string,
  { kind, channel, destination, senderId }: Counted,
  limits: Limits,
): readonly Budget[] {
  const to = `${channel} ${destination.toLowerCase()}`;
  const budgets: Budget[] = [];
  if (Number.isFinite(limits.toOne))
    budgets.push({ of: `${what} to ${to}`, limit: limits.toOne, about: "destination" });
  if (senderId === null) return budgets;
  budgets.push({
    of: `${what} of ${senderId} to ${to}`,
    limit: limits.fromOneToOne,
    about: "destination",
  });
  // One row for each account, locked until its counter commits. A mailed invitation leaves it alone, so that the sealings and sendings of one sender do
  // not wait for each other: the people an account invites a day are counted where they are invited (`limit-actions.ts`).
  if (kind !== "invitation" || channel === "sms")
    budgets.push({
      of: `${what} of ${senderId} by ${channel}`,
      limit: limits.fromOne,
      about: "sender",
    });
  return budgets;
}

/**
 * Gives, in order, the first budget that each message goes beyond; null for one that may leave. One that may not takes nothing from those after it.
 * Shape: `spent` says how often each was counted before these.
 */
export function overspent(
  messages: readonly Counted[],
  spent: ReadonlyMap<string, number>,
): readonly (Budget | null)[] {
  const counts = new Map(spent);
  const countOf = ({ of }: Budget) => counts.get(of) ?? 0;
  return messages.map((message) => {
    const budgets = budgetsOf(message);
    const beyond = budgets.find((budget) => countOf(budget) >= budget.limit) ?? null;
    if (beyond === null) for (const budget of budgets) counts.set(budget.of, countOf(budget) + 1);
    return beyond;
  });
}
