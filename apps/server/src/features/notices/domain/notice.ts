import type { DeliveryState, Instant } from "@paraphe/contracts";

/** An account's choice for news that is not urgent. */
export type NoticeRhythm = {
  /** Nothing between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day for all events. */
  readonly dailySummary: boolean;
};

type RequestContent = {
  readonly envelopeTitle: string;
  readonly senderName: string;
  readonly senderEmail: string;
  readonly role: "signer" | "approver" | "viewer";
  readonly deadlineAt: Instant | null;
  readonly message: string | null;
  /** The guest link, with its token. */
  readonly link: string;
};

/** Sent only if all attachments together stay under 10 MB. */
export type NoticeAttachment = {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

/**
 * What each kind's text needs. Encrypted at rest and erased once sent: it holds links and codes.
 */
export type NoticeContents = {
  /** `insteadOfReset`: a password reset was asked for before the account was activated. */
  readonly activation: {
    readonly username: string;
    readonly link: string;
    readonly insteadOfReset?: true;
  };
  readonly already_registered: { readonly loginLink: string; readonly resetLink: string };
  readonly reset: { readonly username: string; readonly link: string };
  readonly password_changed: { readonly changedAt: Instant; readonly resetLink: string };
  /** To the new address. */
  readonly address_confirmation: { readonly link: string };
  /** To the current address, at the request and at the change. `newAddress` is masked. */
  readonly address_changing: {
    readonly newAddress: string;
    readonly done: boolean;
    readonly resetLink: string;
  };
  /** `keepsEvidence`: completed envelopes stay for their retention. */
  readonly account_erased: {
    readonly erasedAt: Instant;
    readonly keepsEvidence: boolean;
    readonly privacyLink: string;
  };
  /** `others`: how many messages are not listed. */
  readonly summary: {
    readonly items: readonly {
      readonly words: string;
      readonly at: Instant;
      readonly link: string | null;
    }[];
    readonly others?: number;
    readonly settingsLink: string;
  };
  /** To the operator's witness. `root`: hex; `file`: the checkpoint, JSON. */
  readonly checkpoint: {
    readonly size: number;
    readonly root: string;
    readonly at: Instant;
    readonly file: { readonly name: string; readonly text: string };
  };
  readonly trial: { readonly link: string };
  readonly invitation: RequestContent;
  readonly code: {
    readonly code: string;
    readonly envelopeTitle: string;
    readonly senderName: string;
  };
  readonly phone_code: { readonly code: string };
  readonly reminder: RequestContent;
  /** To signers with their link, and to the sender. */
  readonly expiring: Omit<RequestContent, "message" | "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly daysLeft: 1 | 2;
    /** Names, for the sender; null for signers. */
    readonly waitingFor: readonly string[] | null;
  };
  /**
   * To signers. `reopened`: the former deadline had passed. `fixed`: it was none, or later.
   * `knownDeadlineAt`: the last one sent to this reader; null for none.
   */
  readonly extended: Omit<RequestContent, "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly reopened: boolean;
    readonly fixed?: boolean;
    readonly knownDeadlineAt?: Instant | null;
  };
  /** To the sender. */
  readonly extension_requested: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly deadlineAt: Instant;
    readonly link: string;
  };
  /** To the sender. */
  readonly signed: {
    readonly envelopeTitle: string;
    readonly signerName: string;
    readonly signedAt: Instant;
    readonly signedCount: number;
    readonly signerCount: number;
    readonly link: string;
  };
  /** To whoever signed the batch. */
  readonly batch_ended: {
    readonly batchTitle: string | null;
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly endedAt: Instant;
    readonly link: string;
  };
  /** To everybody. `proofLink`: the public verification page, once it exists. */
  readonly completed: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly completedAt: Instant;
    readonly link: string;
    readonly proofLink: string | null;
    readonly attachments: readonly NoticeAttachment[];
  };
  /** To the sender and the invited recipients. */
  readonly declined: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly reason: string | null;
    readonly link: string | null;
  };
  /** To the invited recipients. */
  readonly cancelled: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly senderEmail: string;
    /** They had consented, but no signature was made. */
    readonly consentVoid?: true;
  };
  /** To the sender with a link, to the invited recipients without. */
  readonly expired: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly deadlineAt: Instant;
    readonly link: string | null;
  };
};

export type NoticeKind = keyof NoticeContents;

/**
 * `askedBy`: who can ask for it repeatedly, and is counted. `awaited`: its reader waits at a
 * screen. `canWait`: news that asks for nothing within hours.
 */
type NoticeRules = {
  readonly askedBy?: "anybody" | "sender";
  readonly awaited?: true;
  readonly canWait?: true;
};

export const NOTICES: Readonly<Record<NoticeKind, NoticeRules>> = {
  activation: { askedBy: "anybody", awaited: true },
  already_registered: { askedBy: "anybody", awaited: true },
  reset: { askedBy: "anybody", awaited: true },
  password_changed: {},
  address_confirmation: { askedBy: "sender", awaited: true },
  address_changing: {},
  account_erased: {},
  summary: {},
  checkpoint: {},
  trial: { askedBy: "sender", awaited: true },
  invitation: { askedBy: "sender" },
  code: { awaited: true },
  phone_code: { awaited: true },
  reminder: { askedBy: "sender" },
  expiring: { askedBy: "sender", canWait: true },
  extended: { askedBy: "sender" },
  extension_requested: { askedBy: "sender", canWait: true },
  signed: { canWait: true },
  batch_ended: { canWait: true },
  completed: { canWait: true },
  declined: { canWait: true },
  cancelled: { canWait: true },
  expired: { canWait: true },
};

export type NoticeChannel = "email" | "sms" | "push";

/** A text would not prove an account's address; a checkpoint is a file. */
type MailOnlyKind =
  | "activation"
  | "already_registered"
  | "reset"
  | "password_changed"
  | "address_confirmation"
  | "address_changing"
  | "account_erased"
  | "checkpoint"
  | "summary";

/** Elsewhere it would not prove the number. */
type TextOnlyKind = "phone_code";

export type MailKind = Exclude<NoticeKind, TextOnlyKind>;

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
