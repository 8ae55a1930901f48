import type { Notice, NoticeChannel, NoticeKind } from "./notice.ts";

/** A message as it is counted. */
export type Counted = Pick<Notice, "kind" | "channel"> & {
  readonly destination: string;
  readonly senderId: string | null;
  readonly envelopeId: string | null;
};
/** `about`: whom the bound protects, for the words of a refusal. `of`: what is counted; it names an address. */
export type Budget = { readonly of: string; readonly limit: number; readonly about: "destination" | "sender" };

/** Every budget is of one day. */
export const BUDGET_WINDOW_S = 86_400;

/** What nobody signed in may ask for: whoever types an address can have it written to. */
const ASKED_BY_ANYBODY: ReadonlySet<NoticeKind> = new Set<NoticeKind>(["activation", "already_registered", "reset"]);

/**
 * What a person can have sent again and again. The others follow from these, once each (an end, a summary), or warn the owner of an account: they are
 * counted, and go.
 */
const BOUND: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  ...ASKED_BY_ANYBODY,
  "address_confirmation",
  "code",
  "phone_code",
  "trial",
  "invitation",
  "reminder",
  "extended",
  "expiring",
  "extension_requested",
]);

/** To one address: the links that anybody asks for. */
const BY_ANYBODY = 10;
/** To one address or number from one sender; and about one envelope, for whom two people may share it. */
const BY_ONE_SENDER: Readonly<Record<NoticeChannel, number>> = { email: 100, sms: 10, push: 100 };
const BY_ONE_ENVELOPE: Readonly<Record<NoticeChannel, number>> = { email: 40, sms: 10, push: 40 };
/** To one address or number, whoever asks: above what one sender may, who could otherwise keep all others from writing to somebody. */
const TO_ONE: Readonly<Record<NoticeChannel, number>> = { email: 300, sms: 20, push: 300 };
/** From one account, to all. 5,000 people may be asked a day, and each wants a code; a text costs. */
const FROM_ONE: Readonly<Record<NoticeChannel, number>> = { email: 20_000, sms: 500, push: 20_000 };

/** On whose behalf a message goes: a sender's, or its reader's own; null when anybody may have asked for it. */
export function senderOf({ kind, senderId, userId }: Pick<Notice, "kind" | "senderId" | "userId">): string | null {
  return ASKED_BY_ANYBODY.has(kind) ? null : (senderId ?? userId ?? null);
}

/** Gives what a message is counted in. */
export function budgetsOf({ kind, channel, destination, senderId, envelopeId }: Counted): readonly Budget[] {
  const to = `${channel} ${destination.toLowerCase()}`;
  const budgets: Budget[] = [{ of: `to ${to}`, limit: TO_ONE[channel], about: "destination" }];
  if (ASKED_BY_ANYBODY.has(kind) || kind === "address_confirmation")
    budgets.push({ of: `anybody to ${to}`, limit: BY_ANYBODY, about: "destination" });
  if (senderId !== null) {
    budgets.push({ of: `${senderId} to ${to}`, limit: BY_ONE_SENDER[channel], about: "destination" });
    budgets.push({ of: `${senderId} by ${channel}`, limit: FROM_ONE[channel], about: "sender" });
  }
  if (envelopeId !== null) budgets.push({ of: `${envelopeId} to ${to}`, limit: BY_ONE_ENVELOPE[channel], about: "destination" });
  return budgets;
}

/**
 * Gives, in order, the first budget that each message goes beyond; null for one that may leave.
 * Shape: `spent` says how often each was counted before these.
 */
export function overspent(messages: readonly Counted[], spent: ReadonlyMap<string, number>): readonly (Budget | null)[] {
  const counts = new Map(spent);
  return messages.map((message) => {
    let beyond: Budget | null = null;
    for (const budget of budgetsOf(message)) {
      const count = (counts.get(budget.of) ?? 0) + 1;
      counts.set(budget.of, count);
      if (count > budget.limit) beyond ??= budget;
    }
    return BOUND.has(message.kind) ? beyond : null;
  });
}
