/** `messageId` stays the same on retries. `pictures`: `cid:` in the HTML. */
export type MailMessage = {
  readonly messageId: string;
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly pictures?: readonly MailPicture[];
  readonly attachments: readonly MailFile[];
};

type MailFile = {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
};

export type MailPicture = MailFile & { readonly cid: string };

/**
 * `accepted` and `refused` (a permanent 5xx) are final; `deferred` (4xx, no connection) is retried.
 * `cause` is for the log, never the server's words, which may repeat an address. `mayHaveLeft`: a
 * deferred one may have arrived.
 */
export type DeliveryOutcome = {
  readonly state: "accepted" | "refused" | "deferred";
  readonly serverAnswer: string;
  readonly cause?: string;
  readonly mayHaveLeft?: boolean;
};

/** Never throws for a server's answer. */
export type MailTransport = {
  deliver(message: MailMessage): Promise<DeliveryOutcome>;
  close(): Promise<void>;
};

/** Sends to the gateway (contract §1: POST JSON `{to, text}`, bearer token) or the mailbox. */
export type SmsTransport = {
  deliver(message: { to: string; text: string }): Promise<DeliveryOutcome>;
};

/**
 * Shape: `publicKey` an uncompressed P-256 point, 65 bytes; `authSecret` 16 bytes. Source: RFC 8291
 * §2.1, §3.2.
 */
export type PushTarget = {
  readonly endpoint: string;
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
};

/** `url`: a path behind a session; no code or token (security line 41). */
type PushContent = { readonly title: string; readonly body: string; readonly url: string };

export type PushMessage = {
  readonly target: PushTarget;
  readonly content: PushContent;
  /** How long the push service stores it. */
  readonly ttlS: number;
  readonly to: string;
};

/** `gone`: the subscription ended (RFC 8030 §7.3). */
export type PushOutcome =
  | DeliveryOutcome
  | { readonly state: "gone"; readonly serverAnswer: string };

/** Never throws for a service's answer. */
export type PushTransport = {
  /** An uncompressed P-256 point (RFC 8292 §4). */
  publicKey(): Promise<Uint8Array>;
  deliver(message: PushMessage): Promise<PushOutcome>;
};
