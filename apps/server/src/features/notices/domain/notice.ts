import type { DeliveryState } from "@paraphe/contracts";
import type { AccountContents } from "./account-messages.ts";
import type { OutcomeContents } from "./outcome-messages.ts";
import type { RequestContents } from "./request-messages.ts";

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
