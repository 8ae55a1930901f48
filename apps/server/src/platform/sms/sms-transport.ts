import type { DeliveryOutcome } from "../mail/mail-transport.ts";

/** Hands a text to the SMS gateway (contract §1: POST JSON `{to, text}`, bearer token), or to the local mailbox. */
export type SmsTransport = {
  deliver(message: { to: string; text: string }): Promise<DeliveryOutcome>;
};
