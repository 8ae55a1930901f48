import type { DeliveryFailureCode } from "@paraphe/contracts";
import { isOwnMachine } from "../loopback.ts";
import { createMailboxSms, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import { createSmsGateway } from "./sms-gateway.ts";
import type { SmsTransport } from "./sms-transport.ts";

const NOT_OFFERED = { state: "refused", serverAnswer: "not_offered" satisfies DeliveryFailureCode } as const;

type SmsSettings = Pick<Settings, "sms" | "smsCountries" | "production" | "publicUrl">;

/** Tells whether a text can reach anybody: through the gateway, or in the local mailbox of one's own machine. Without it nobody is offered a text. */
export function isSmsOffered(settings: Omit<SmsSettings, "smsCountries">): boolean {
  return settings.sms !== null || isOwnMachine(settings);
}

/** Tells whether a number (E.164) is of a country that this service writes to. */
export function isServedCountry({ smsCountries }: Pick<Settings, "smsCountries">, number: string): boolean {
  return smsCountries.some((code) => number.startsWith(`+${code}`));
}

/** Gives the number that a text to somebody goes to; null when none can reach them. */
export function textableNumber(settings: SmsSettings, number: string | null): string | null {
  return number !== null && isSmsOffered(settings) && isServedCountry(settings, number) ? number : null;
}

/** Says why no text goes to somebody who is not reached by one. */
export function noTextBecause(settings: SmsSettings, number: string | null): string {
  return number !== null && isSmsOffered(settings)
    ? "Ce service n’envoie pas de SMS vers ce pays."
    : "Aucun numéro de téléphone n’est connu pour cet envoi.";
}

/** Gives the SMS transport that the settings ask for: the gateway, or the local mailbox; or one that sends nothing, and keeps nothing in clear. */
export function createSmsTransport(settings: SmsSettings, deps: MailboxDeps): SmsTransport {
  if (!isSmsOffered(settings)) return { deliver: async () => NOT_OFFERED };
  const transport = settings.sms === null ? createMailboxSms(deps) : createSmsGateway(settings.sms);
  return {
    // A number may be older than the list.
    deliver: async (message) => (isServedCountry(settings, message.to) ? transport.deliver(message) : NOT_OFFERED),
  };
}
