import type { DeliveryOutcome } from "../mail/mail-transport.ts";

/**
 * A browser's subscription. Shape: `publicKey` an uncompressed P-256 point, 65 bytes; `authSecret`
 * 16 bytes. Source: RFC 8291 §2.1, §3.2.
 */
export type PushTarget = {
  readonly endpoint: string;
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
};

/** `url`: a path that requires a session; no code or token here (security line 41). */
export type PushContent = { readonly title: string; readonly body: string; readonly url: string };

export type PushMessage = {
  readonly target: PushTarget;
  readonly content: PushContent;
  /** Storage time at the push service, in seconds. */
  readonly ttlS: number;
  /** The destination in the local mailbox. */
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
