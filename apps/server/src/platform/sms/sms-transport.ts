import type { DeliveryOutcome } from "../mail/mail-transport.ts";

/** To the gateway (contract §1: POST JSON `{to, text}`, bearer token) or the local mailbox. */
export type SmsTransport = {
  deliver(message: { to: string; text: string }): Promise<DeliveryOutcome>;
};
