import type { DeliveryOutcome } from "../mail/mail-transport.ts";

/** What a browser gave when it subscribed. Shape: `publicKey` is an uncompressed P-256 point, 65 bytes; `authSecret` 16 bytes. Source: RFC 8291 §2.1, §3.2. */
export type PushTarget = {
  readonly endpoint: string;
  readonly publicKey: Uint8Array;
  readonly authSecret: Uint8Array;
};

/** What the service worker shows. `url` is a path of ours that asks for a session; nothing here holds a code or a token (security line 41). */
export type PushContent = { readonly title: string; readonly body: string; readonly url: string };

export type PushMessage = {
  readonly target: PushTarget;
  readonly content: PushContent;
  /** For how long the push service keeps it for a browser that is away, in seconds. */
  readonly ttlS: number;
  /** Whom it is for, in the local mailbox. */
  readonly to: string;
};

/** `gone`: the subscription has ended, and is to be forgotten (RFC 8030 §7.3). The other states are those of a mail. */
export type PushOutcome =
  | DeliveryOutcome
  | { readonly state: "gone"; readonly serverAnswer: string };

/** Hands a message to a browser's push service. Never throws for a service's answer. */
export type PushTransport = {
  /** Gives the public half of the key that subscriptions are bound to: an uncompressed P-256 point (RFC 8292 §4). */
  publicKey(): Promise<Uint8Array>;
  deliver(message: PushMessage): Promise<PushOutcome>;
};
