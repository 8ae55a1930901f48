import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { parisHour, parisTime } from "@paraphe/kernel/paris-time";
import {
  NOTICES,
  type Notice,
  type NoticeChannel,
  type NoticeKind,
  type NoticeRhythm,
} from "./notice.ts";

export type Counted = Pick<Notice, "kind" | "channel"> & {
  readonly destination: string;
  readonly senderId: string | null;
};
/** `of`: the counter's name, which holds an address. `about`: whom the limit protects. */
type Budget = {
  readonly of: string;
  readonly limit: number;
  readonly about: "destination" | "sender";
};

export const BUDGET_WINDOW_S = 86_400;

/*
 * A budget is spent by whoever asks for a message, so that no one can block another's messages.
 * - Mails: one budget for each sender and address.
 * - Texts cost money: those to one number are limited whoever asks; beyond it, a mail goes instead.
 * - One-time codes are limited by `codes.ts` and `verify-phone.ts`; their texts count here.
 * - Links that anybody may ask for have no sender: one budget for each kind and address.
 * - Messages sent once for an event, and account warnings, are not counted.
 */

/** Links of one kind to one address. */
const BY_ANYBODY = 10;
/** `toOne`: to one address or number, from everybody; `fromOne`: from one account, to everybody. */
type Limits = { readonly toOne: number; readonly fromOneToOne: number; readonly fromOne: number };
const MAILS: Limits = { toOne: Number.POSITIVE_INFINITY, fromOneToOne: 100, fromOne: 20_000 };
const LIMITS: Readonly<Record<NoticeChannel, Limits>> = {
  email: MAILS,
  push: MAILS,
  sms: { toOne: 20, fromOneToOne: 10, fromOne: 500 },
};
const TEXTED_CODES: Limits = { toOne: 30, fromOneToOne: 20, fromOne: 500 };

/** The account that asks for a message; null when anybody may. */
export function senderOf({
  kind,
  senderId,
  userId,
}: Pick<Notice, "kind" | "senderId" | "userId">): string | null {
  return NOTICES[kind].askedBy === "anybody" ? null : (senderId ?? userId ?? null);
}

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
  // One row for each account stays locked until the commit. A mailed invitation skips it, so that
  // one sender's sealings do not wait for each other; `limit-actions.ts` counts invited people.
  if (kind !== "invitation" || channel === "sms")
    budgets.push({
      of: `${what} of ${senderId} by ${channel}`,
      limit: limits.fromOne,
      about: "sender",
    });
  return budgets;
}

/**
 * For each message in order, the first budget it exceeds, or null; one that exceeds uses nothing
 * up.
 * Shape: `spent` holds the counts before these messages.
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

/**
 * One for each channel, so that a slow server delays no other, and another for messages that
 * somebody awaits. `atOnce`: how many a process sends at the same time; `most`: how many it claims.
 */
export const LANES = {
  "notices.mail": { channel: "email", awaited: false, atOnce: 4, most: 32 },
  "notices.mail-awaited": { channel: "email", awaited: true, atOnce: 4, most: 32 },
  "notices.text": { channel: "sms", awaited: false, atOnce: 2, most: 16 },
  "notices.text-awaited": { channel: "sms", awaited: true, atOnce: 2, most: 16 },
  "notices.push": { channel: "push", awaited: false, atOnce: 4, most: 32 },
} as const satisfies Readonly<Record<string, LaneRules>>;
export type Lane = keyof typeof LANES;
type LaneRules = {
  readonly channel: NoticeChannel;
  readonly awaited: boolean;
  readonly atOnce: number;
  readonly most: number;
};

/** Their reader waits at a screen. Pushes have one lane. */
export const AWAITED_KINDS: readonly NoticeKind[] = (Object.keys(NOTICES) as NoticeKind[]).filter(
  (kind) => NOTICES[kind].awaited === true,
);

/** Hours in Paris. */
const EVENING = 20;
const MORNING = 8;

export function isQuiet(now: Date): boolean {
  const hour = parisHour(now);
  return hour >= EVENING || hour < MORNING;
}

export function nextMorning(now: Date): Date {
  const day = parisDay(now);
  const today = parisTime(day, MORNING);
  return today > now ? today : parisTime(addDays(day, 1), MORNING);
}

export type Delay = { readonly reason: "quiet" | "summary"; readonly notBefore: Date };

/** Why a message waits, or null. A daily summary is for mails only. */
export function delayOf(
  notice: {
    readonly kind: NoticeKind;
    readonly channel: NoticeChannel;
    readonly rhythm?: NoticeRhythm | undefined;
  },
  now: Date,
): Delay | null {
  if (notice.rhythm === undefined || NOTICES[notice.kind].canWait !== true) return null;
  if (notice.rhythm.dailySummary && notice.channel === "email")
    return { reason: "summary", notBefore: nextMorning(now) };
  if (notice.rhythm.quietHours && isQuiet(now))
    return { reason: "quiet", notBefore: nextMorning(now) };
  return null;
}
