import type { DeliveryState } from "@paraphe/contracts";
import { ACCOUNT_RULES, type AccountContents } from "./account-messages.ts";
import type { NoticeRules } from "./message-kind.ts";
import { OUTCOME_RULES, type OutcomeContents } from "./outcome-messages.ts";
import { REQUEST_RULES, type RequestContents } from "./request-messages.ts";

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

export const NOTICES: Readonly<Record<NoticeKind, NoticeRules>> = {
  ...ACCOUNT_RULES,
  ...REQUEST_RULES,
  ...OUTCOME_RULES,
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
