import { createMailboxMail, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type { MailTransport } from "./mail-transport.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

/** Gives the mail transport that the settings ask for: SMTP, or the local mailbox. */
export function createMailTransport(settings: Pick<Settings, "smtpUrl" | "mailFrom">, deps: MailboxDeps): MailTransport {
  if (settings.smtpUrl === null) return createMailboxMail(deps, settings.mailFrom);
  return createSmtpTransport({ url: settings.smtpUrl, from: settings.mailFrom });
}
