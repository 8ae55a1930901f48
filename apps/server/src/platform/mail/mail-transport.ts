/** One composed message. `messageId` is chosen by the sender and kept across retries. */
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
 * `accepted` and `refused` (a permanent 5xx) are final, with the server's own words; `deferred` (4xx, no connection) is to be tried again.
 * `cause`: why, for the log: the server, a system error's code, a status. Never a server's words, which may repeat an address.
 * `mayHaveLeft`: of a deferred one, whether it may have arrived all the same: the server was reached, and did not say no.
 */
export type DeliveryOutcome = {
  readonly state: "accepted" | "refused" | "deferred";
  readonly serverAnswer: string;
  readonly cause?: string;
  readonly mayHaveLeft?: boolean;
};

/** Hands a message to SMTP, or to the local mailbox. Never throws for a server's answer. */
export type MailTransport = {
  deliver(message: MailMessage): Promise<DeliveryOutcome>;
  close(): Promise<void>;
};
