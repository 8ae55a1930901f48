import { type DeliveryFailureCode, failure, problem, type Result, success } from "@paraphe/contracts";
import { isLoopbackHost } from "../loopback.ts";
import { createMailboxMail, type MailboxDeps } from "../mailbox/mailbox-transports.ts";
import type { Settings } from "../settings/settings.ts";
import type { MailTransport } from "./mail-transport.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

type MailSettings = Pick<Settings, "smtpUrl" | "smtpTls" | "mailDisabled" | "mailFrom">;

/** Refuses every message: who sends sees that none has left. */
const NO_MAIL: MailTransport = {
  deliver: async () => ({ state: "refused", serverAnswer: "mail_off" satisfies DeliveryFailureCode, cause: "MAIL=none" }),
  close: async () => {},
};

/** Lets a call go on that does nothing but send a mail. Errors: `mail_off`. */
export function checkMail({ mailDisabled }: Pick<Settings, "mailDisabled">): Result<null> {
  return mailDisabled ? failure(problem("mail_off")) : success(null);
}

/** Gives the mail transport that the settings ask for: SMTP, the local mailbox, or none. */
export function createMailTransport(settings: MailSettings, deps: MailboxDeps): MailTransport {
  if (settings.mailDisabled) return NO_MAIL;
  if (settings.smtpUrl === null) return createMailboxMail(deps, settings.mailFrom);
  const isHere = isLoopbackHost(new URL(settings.smtpUrl).hostname);
  return createSmtpTransport({ url: settings.smtpUrl, from: settings.mailFrom, tls: isHere ? "optional" : settings.smtpTls });
}
