import type { DeliveryState } from "@paraphe/contracts";
import type { AccountContents } from "./account-messages.ts";
import type { OutcomeContents } from "./outcome-messages.ts";
import type { RequestContents } from "./request-messages.ts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { parisHour, parisTime } from "@paraphe/kernel/paris-time";

/** News that is not urgent follows this rhythm. */
export type NoticeRhythm = {
  /** Nothing is sent between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day gathers the news. */
  readonly dailySummary: boolean;
};

/** What each kind's text needs. Encrypted, and erased once sent, as it has links and codes. */
export type NoticeContents = AccountContents & RequestContents & OutcomeContents;

export type NoticeKind = keyof NoticeContents;

/**
 * `askedBy`: who may repeat it, and is counted. `awaited`: a reader waits at a screen. `canWait`:
 * news.
 */
export type NoticeRules = {
  readonly askedBy?: "anybody" | "sender";
  readonly awaited?: true;
  readonly canWait?: true;
};

export const NOTICES: Readonly<Record<NoticeKind, NoticeRules>> = {
  activation: { askedBy: "anybody", awaited: true },
  registration_invited: {},
  member_invited: {},
  access_ended: {},
  webhook_paused: {},
  work_received: {},
  leaver_awaited: {},
  delegation_given: {},
  delegation_ended: {},
  delegation_used: {},
  delegation_returned: {},
  already_registered: { askedBy: "anybody", awaited: true },
  reset: { askedBy: "anybody", awaited: true },
  password_changed: {},
  factors_changed: {},
  factor_asked: {},
  address_confirmation: { askedBy: "sender", awaited: true },
  address_changing: {},
  account_erased: {},
  summary: {},
  checkpoint: {},
  invitation: { askedBy: "sender" },
  code: { awaited: true },
  phone_code: { awaited: true },
  reminder: { askedBy: "sender" },
  expiring: { askedBy: "sender", canWait: true },
  extended: { askedBy: "sender" },
  trial: { askedBy: "sender", awaited: true },
  extension_requested: { askedBy: "sender", canWait: true },
  signed: { canWait: true },
  returned: { canWait: true },
  reassigned: { canWait: true },
  late: { canWait: true },
  batch_ended: { canWait: true },
  mailing_ended: { canWait: true },
  completed: { canWait: true },
  declined: { canWait: true },
  cancelled: { canWait: true },
  expired: { canWait: true },
};

export type NoticeChannel = "email" | "sms" | "push";

type MailOnlyKind = keyof AccountContents;

/** Sent otherwise, it would prove no number. */
type TextOnlyKind = "phone_code";

export type MailKind = Exclude<NoticeKind, TextOnlyKind>;
export type SmsKind = Exclude<NoticeKind, MailOnlyKind>;

/** A code is no push: its reader may have none of our pages open. */
export type PushKind = Exclude<NoticeKind, MailOnlyKind | TextOnlyKind | "code">;

/**
 * Shape: `dedupeKey` names event and person: a key is sent once. `to.address`: an e-mail address,
 * or E.164 by SMS; for a push, the address used if no browser takes it.
 */
export type Notice = {
  readonly [K in NoticeKind]: {
    readonly kind: K;
    readonly channel: K extends MailOnlyKind
      ? "email"
      : K extends TextOnlyKind
        ? "sms"
        : K extends PushKind
          ? NoticeChannel
          : "email" | "sms";
    readonly dedupeKey: string;
    /** `mailInstead`: the address used when a text cannot be delivered. */
    readonly to: {
      readonly fullName: string;
      readonly address: string;
      readonly mailInstead?: string;
    };
    readonly envelopeId?: string | null;
    readonly recipientId?: string | null;
    /** The recipient for whom its reader may sign. */
    readonly delegatorId?: string | null;
    readonly userId?: string | null;
    /** Who asks; absent, the reader does. */
    readonly senderId?: string | null;
    /** SHA-256 of its token: an opened link so names the message. */
    readonly linkSha256?: Uint8Array | null;
    /** Without a rhythm the message goes at once. */
    readonly rhythm?: NoticeRhythm | undefined;
    readonly id?: string;
    readonly content: NoticeContents[K];
  };
}[NoticeKind];

/** `delivered`: its link was opened, or its code came back. */
export type NoticeState = DeliveryState;

const SUFFIX = ":push";

export const pushedKey = {
  of: (eventKey: string): string => eventKey + SUFFIX,
  event: (key: string): string => (key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key),
};

export function mailedKey(textKey: string): string {
  return `${textKey}:email`;
}

export type Counted = Pick<Notice, "kind" | "channel"> & {
  readonly destination: string;
  readonly senderId: string | null;
};
/** `of` names the counter, with an address; `about`: whom the limit protects. */
type Budget = {
  readonly of: string;
  readonly limit: number;
  readonly about: "destination" | "sender";
};

export const BUDGET_WINDOW_S = 86_400;

/**
 * A budget is spent by whoever asks, so that nobody blocks another's messages.
 * - Mails: per sender and address.
 * - Texts cost money: per number, whoever asks; beyond it, a mail goes.
 * - Codes are limited by `codes.ts` and `verify-phone.ts`; their texts count here.
 * - Links that anybody may ask for: per kind and address.
 * - Messages sent once per event, and account warnings: not counted.
 */

const BY_ANYBODY = 10;
/** `toOne`: to an address or number, from all; `fromOne`: from an account, to all. */
type Limits = { readonly toOne: number; readonly fromOneToOne: number; readonly fromOne: number };
const MAILS: Limits = { toOne: Number.POSITIVE_INFINITY, fromOneToOne: 100, fromOne: 20_000 };
const LIMITS: Readonly<Record<NoticeChannel, Limits>> = {
  email: MAILS,
  push: MAILS,
  sms: { toOne: 20, fromOneToOne: 10, fromOne: 500 },
};
const TEXTED_CODES: Limits = { toOne: 30, fromOneToOne: 20, fromOne: 500 };

/** Null: anybody may ask. */
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
  // Locked until the commit. A mailed invitation skips this budget, so that sealings do not wait
  // for each other; `change-envelope.ts` counts the invited.
  if (kind !== "invitation" || channel === "sms")
    budgets.push({
      of: `${what} of ${senderId} by ${channel}`,
      limit: limits.fromOne,
      about: "sender",
    });
  return budgets;
}

/**
 * For each message in order, gives the first budget exceeded, or null; an exceeded one uses nothing
 * up.
 * Shape: `spent`: before these.
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
 * Each channel has a lane, so that a slow server delays no other; awaited messages have their own.
 * `atOnce`: sent at once by a process; `most`: claimed.
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

export function laneOf({ kind, channel }: Pick<Notice, "kind" | "channel">): Lane {
  if (channel === "push") return "notices.push";
  const isAwaited = NOTICES[kind].awaited === true;
  if (channel === "sms") return isAwaited ? "notices.text-awaited" : "notices.text";
  return isAwaited ? "notices.mail-awaited" : "notices.mail";
}

/** A reader waits for these at a screen. */
export const AWAITED_KINDS: readonly NoticeKind[] = (Object.keys(NOTICES) as NoticeKind[]).filter(
  (kind) => NOTICES[kind].awaited === true,
);

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

/** Null: now. A summary is a mail. */
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
