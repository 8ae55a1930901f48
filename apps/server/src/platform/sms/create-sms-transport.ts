import { isOwnMachine } from "../loopback.ts";
import { createMailboxSms, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import { createSmsGateway } from "./sms-gateway.ts";
import type { SmsTransport } from "./sms-transport.ts";

type SmsSettings = Pick<Settings, "sms" | "production" | "publicUrl">;

/** Tells whether a text can reach anybody: through the gateway, or in the local mailbox of one's own machine. Without it nobody is offered a text. */
export function isSmsOffered(settings: SmsSettings): boolean {
  return settings.sms !== null || isOwnMachine(settings);
}

/** Gives the SMS transport that the settings ask for: the gateway, or the local mailbox; or one that sends nothing, and keeps nothing in clear. */
export function createSmsTransport(settings: SmsSettings, deps: MailboxDeps): SmsTransport {
  if (settings.sms !== null) return createSmsGateway(settings.sms);
  return isSmsOffered(settings)
    ? createMailboxSms(deps)
    : { deliver: async () => ({ state: "refused", serverAnswer: "Ce service n’envoie pas de SMS." }) };
}
