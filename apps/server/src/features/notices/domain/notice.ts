import type { DeliveryState } from "@paraphe/contracts";
import type { AccountContents } from "./account-messages.ts";
import type { OutcomeContents } from "./outcome-messages.ts";
import type { RequestContents } from "./request-messages.ts";

/** For news that is not urgent. */
export type NoticeRhythm = {
  /** Nothing between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day. */
  readonly dailySummary: boolean;
};

/** For each kind's text. Encrypted, and erased once sent: links and codes. */
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

/** Elsewhere it proves no number. */
type TextOnlyKind = "phone_code";

export type MailKind = Exclude<NoticeKind, TextOnlyKind>;
export type SmsKind = Exclude<NoticeKind, MailOnlyKind>;

/** No code: its reader may have none of our pages. */
export type PushKind = Exclude<NoticeKind, MailOnlyKind | TextOnlyKind | "code">;

/**
 * Shape: `dedupeKey` names event and person: one key, one message. `to.address`: an e-mail address,
 * or E.164 by SMS; for a push, where no browser takes it.
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
    /** `mailInstead`: for an undeliverable text. */
    readonly to: {
      readonly fullName: string;
      readonly address: string;
      readonly mailInstead?: string;
    };
    readonly envelopeId?: string | null;
    readonly recipientId?: string | null;
    readonly userId?: string | null;
    /** Who asks; the reader when absent. */
    readonly senderId?: string | null;
    /** SHA-256 of its token: an opened link names the message. */
    readonly linkSha256?: Uint8Array | null;
    /** Without it nothing waits. */
    readonly rhythm?: NoticeRhythm | undefined;
    readonly id?: string;
    readonly content: NoticeContents[K];
  };
}[NoticeKind];

/** `delivered`: its link was opened, or its code came back. */
export type NoticeState = DeliveryState;

const SUFFIX = ":push";

/** The mail that replaces a push has the event's. */
export const pushedKey = {
  of: (eventKey: string): string => eventKey + SUFFIX,
  event: (key: string): string => (key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key),
};

/** For the mail in place of a text. */
export function mailedKey(textKey: string): string {
  return `${textKey}:email`;
}
