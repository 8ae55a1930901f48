import type { DeliveryState } from "@paraphe/contracts";
import { ACCOUNT_RULES, type AccountContents } from "./account-messages.ts";
import type { NoticeRules } from "./message-kind.ts";
import { OUTCOME_RULES, type OutcomeContents } from "./outcome-messages.ts";
import { REQUEST_RULES, type RequestContents } from "./request-messages.ts";

/** An account's choice for news that is not urgent. */
export type NoticeRhythm = {
  /** Nothing between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day for all events. */
  readonly dailySummary: boolean;
};

/**
 * What each kind's text needs. Encrypted at rest and erased once sent: it holds links and codes.
 */
export type NoticeContents = AccountContents & RequestContents & OutcomeContents;

export type NoticeKind = keyof NoticeContents;

export const NOTICES: Readonly<Record<NoticeKind, NoticeRules>> = {
  ...ACCOUNT_RULES,
  ...REQUEST_RULES,
  ...OUTCOME_RULES,
};

export type NoticeChannel = "email" | "sms" | "push";

type MailOnlyKind = keyof AccountContents;

/** Elsewhere it would not prove the number. */
type TextOnlyKind = "phone_code";

export type MailKind = Exclude<NoticeKind, TextOnlyKind>;
export type SmsKind = Exclude<NoticeKind, MailOnlyKind>;

/** A code is not pushed: its reader may have no page of ours open. */
export type PushKind = Exclude<NoticeKind, MailOnlyKind | TextOnlyKind | "code">;

/**
 * One message to one person.
 * Shape: `dedupeKey` names the event and the person: one key is one message. `to.address`: an
 * e-mail address, or an E.164 number by SMS; for a push, the address when no browser takes it.
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
    /** `mailInstead`: where a text that cannot be delivered goes by mail. */
    readonly to: {
      readonly fullName: string;
      readonly address: string;
      readonly mailInstead?: string;
    };
    readonly envelopeId?: string | null;
    readonly recipientId?: string | null;
    readonly userId?: string | null;
    /** The account that asks; the reader's own when absent. */
    readonly senderId?: string | null;
    /** SHA-256 of its link's token: the opened link identifies the message. */
    readonly linkSha256?: Uint8Array | null;
    /** Without it nothing waits. */
    readonly rhythm?: NoticeRhythm | undefined;
    readonly id?: string;
    readonly content: NoticeContents[K];
  };
}[NoticeKind];

/** `sent`: a server took it; `delivered`: its link was opened, or its code came back. */
export type NoticeState = DeliveryState;

const SUFFIX = ":push";

/** A push has a dedupe key of its own, so that the mail that replaces it can have the event's. */
export const pushedKey = {
  of: (eventKey: string): string => eventKey + SUFFIX,
  event: (key: string): string => (key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key),
};

/** The dedupe key of the mail that replaces a text. */
export function mailedKey(textKey: string): string {
  return `${textKey}:email`;
}
