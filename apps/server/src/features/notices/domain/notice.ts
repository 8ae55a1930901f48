import type { DeliveryState, Instant } from "@paraphe/contracts";

/** When an account's owner wants to hear of what is not urgent. */
export type NoticeRhythm = {
  /** Nothing between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day instead of one for each event. */
  readonly dailySummary: boolean;
};

/** What a person is told about an envelope that waits for them. */
type RequestContent = {
  readonly envelopeTitle: string;
  readonly senderName: string;
  readonly senderEmail: string;
  readonly role: "signer" | "approver" | "viewer";
  readonly deadlineAt: Instant | null;
  readonly message: string | null;
  /** The guest link, token included. */
  readonly link: string;
};

/** A stored file that travels with a mail, if all of them stay under 10 MB together. */
export type NoticeAttachment = {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
};

/** What each kind of message needs to be written. Links and codes are whole: the content is wrapped at rest and emptied once sent. */
export type NoticeContents = {
  /** `insteadOfReset`: a new password was asked for, and the account is not confirmed yet. */
  readonly activation: {
    readonly username: string;
    readonly link: string;
    readonly insteadOfReset?: true;
  };
  readonly already_registered: { readonly loginLink: string; readonly resetLink: string };
  readonly reset: { readonly username: string; readonly link: string };
  readonly password_changed: { readonly changedAt: Instant; readonly resetLink: string };
  /** To the new address: its link, opened while signed in, makes it the account's. */
  readonly address_confirmation: { readonly link: string };
  /** To the address of the account, at the request and again at the change. `newAddress` is masked. */
  readonly address_changing: {
    readonly newAddress: string;
    readonly done: boolean;
    readonly resetLink: string;
  };
  /** The last mail of an account. `keepsEvidence`: completed envelopes stay for their retention. */
  readonly account_erased: {
    readonly erasedAt: Instant;
    readonly keepsEvidence: boolean;
    readonly privacyLink: string;
  };
  /** Once a day, instead of a mail for each event; what the newest mails would have said, in their order. `others`: how many are not listed. */
  readonly summary: {
    readonly items: readonly {
      readonly words: string;
      readonly at: Instant;
      readonly link: string | null;
    }[];
    readonly others?: number;
    readonly settingsLink: string;
  };
  /** To whom the operator named: the newest state of the transparency log, to be kept. `root`: hex; `file`: the checkpoint itself, JSON. */
  readonly checkpoint: {
    readonly size: number;
    readonly root: string;
    readonly at: Instant;
    readonly file: { readonly name: string; readonly text: string };
  };
  /** Asked for in the settings, to see that messages arrive. */
  readonly trial: { readonly link: string };
  readonly invitation: RequestContent;
  readonly code: {
    readonly code: string;
    readonly envelopeTitle: string;
    readonly senderName: string;
  };
  /** Proves that a profile's number is its owner's. */
  readonly phone_code: { readonly code: string };
  readonly reminder: RequestContent;
  /** The deadline is near. To those whose signature is awaited (with their link), and to the sender, told for whom it waits. */
  readonly expiring: Omit<RequestContent, "message" | "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly daysLeft: 1 | 2;
    /** Names, for the sender; null for the others. */
    readonly waitingFor: readonly string[] | null;
  };
  /**
   * The deadline is another: to those whose signature is awaited, with their link. `reopened`: it had passed. `fixed`: there was none, or a later one.
   * `knownDeadlineAt`: the one its reader was told last, null for none.
   */
  readonly extended: Omit<RequestContent, "deadlineAt"> & {
    readonly deadlineAt: Instant;
    readonly reopened: boolean;
    readonly fixed?: boolean;
    readonly knownDeadlineAt?: Instant | null;
  };
  /** To the sender: somebody asks for a longer deadline. */
  readonly extension_requested: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly deadlineAt: Instant;
    readonly link: string;
  };
  /** To the sender: one recipient has signed. */
  readonly signed: {
    readonly envelopeTitle: string;
    readonly signerName: string;
    readonly signedAt: Instant;
    readonly signedCount: number;
    readonly signerCount: number;
    readonly link: string;
  };
  /** To whoever signed many documents at once, and waits no more: how many were, and how many were not. */
  readonly batch_ended: {
    readonly batchTitle: string | null;
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly endedAt: Instant;
    readonly link: string;
  };
  /** To everybody: all have signed. `proofLink`: the public verification page, once one exists. */
  readonly completed: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly completedAt: Instant;
    readonly link: string;
    readonly proofLink: string | null;
    readonly attachments: readonly NoticeAttachment[];
  };
  /** To the sender, and to the recipients who had been asked. */
  readonly declined: {
    readonly envelopeTitle: string;
    readonly recipientName: string;
    readonly reason: string | null;
    readonly link: string | null;
  };
  /** To the recipients who had been asked. */
  readonly cancelled: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly senderEmail: string;
    /** They had agreed, and no signature could be made of it. */
    readonly consentVoid?: true;
  };
  /** To the sender (with a link), and to the recipients who had been asked (without). */
  readonly expired: {
    readonly envelopeTitle: string;
    readonly senderName: string;
    readonly deadlineAt: Instant;
    readonly link: string | null;
  };
};

export type NoticeKind = keyof NoticeContents;

/**
 * What sets a kind of message apart. `askedBy`: who can have it sent again and again, and is counted
 * (`budgets.ts`): anybody, without an account, or its sender. `awaited`: its reader waits for it at a
 * screen. `canWait`: it informs, and asks for nothing within hours.
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

/** How a message reaches its reader: by its mail server, an SMS gateway, or the push services of the browsers they subscribed in. */
export type NoticeChannel = "email" | "sms" | "push";

/** Messages about an account always go to its address, where a text would not prove it; a checkpoint is a file. */
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

/** A message to a number alone: said elsewhere it would prove nothing. */
type TextOnlyKind = "phone_code";

/** Kinds that may go by mail. */
export type MailKind = Exclude<NoticeKind, TextOnlyKind>;

/** Kinds that may be pushed beside, or instead of, a mail: a code has to reach whoever has none of our pages open. */
export type PushKind = Exclude<NoticeKind, MailOnlyKind | TextOnlyKind | "code">;

/**
 * One message to one person.
 * Shape: `dedupeKey` names the event and the person: the same key twice is one message. `to.address` is an e-mail address, or an E.164 number by SMS;
 * of a push message, which goes to every browser of `userId`, it is the e-mail address that the message goes to when no browser takes it.
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
    /** `mailInstead`: where the words of a text go by mail when it cannot be delivered; without it they are not said again. */
    readonly to: {
      readonly fullName: string;
      readonly address: string;
      readonly mailInstead?: string;
    };
    readonly envelopeId?: string | null;
    readonly recipientId?: string | null;
    readonly userId?: string | null;
    /** On whose behalf it goes to somebody else: an account; its reader's own without it. */
    readonly senderId?: string | null;
    /** SHA-256 of the token in its link: what says, once it is opened, which message arrived. */
    readonly linkSha256?: Uint8Array | null;
    /** When its reader wants to hear of what can wait; without it nothing waits. */
    readonly rhythm?: NoticeRhythm | undefined;
    /** Chosen by whoever has to refer to it. */
    readonly id?: string;
    readonly content: NoticeContents[K];
  };
}[NoticeKind];

/**
 * What is known of a message once asked for. `sent`: a server took it; `delivered`: its link was opened, or its code came back.
 * `refused` and `withdrawn` are final; `serverAnswer` holds the server's own words.
 */
export type NoticeState = DeliveryState;

const SUFFIX = ":push";

/** The dedupe key of a push message, made of its event's; and back. Another message about the event has the event's own key. */
export const pushedKey = {
  of: (eventKey: string): string => eventKey + SUFFIX,
  event: (key: string): string => (key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key),
};

/** Names the mail that says what a text could not. */
export function mailedKey(textKey: string): string {
  return `${textKey}:email`;
}
