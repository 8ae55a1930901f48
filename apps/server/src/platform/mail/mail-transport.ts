/** `messageId`: the sender's, the same on retries. */
export type MailMessage = {
  readonly messageId: string;
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly {
    readonly name: string;
    readonly contentType: string;
    readonly bytes: Uint8Array;
  }[];
};

/**
 * `accepted` and `refused` (a permanent 5xx) are final; `deferred` (4xx, no connection) is retried.
 * `cause`: for the log; never the server's words, which may repeat an address.
 * `mayHaveLeft`: a deferred message may have arrived.
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
