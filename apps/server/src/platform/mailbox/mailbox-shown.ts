import { isOwnMachine } from "../addresses.ts";
import type { Settings } from "../settings/settings.ts";

type MailboxSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms">;

/** Where a person reads the messages of a developer's machine. */
export const MAILBOX_PATH = "/boite-aux-lettres/";

/** Tells whether the local mailbox is in use and may be shown: on a person's own machine only, and never in production, whatever else is set. */
export function isMailboxShown(settings: MailboxSettings): boolean {
  return isOwnMachine(settings) && (settings.smtpUrl === null || settings.sms === null);
}

/** Where the mails of this service are read, to tell whoever waits for one; null where mail leaves it, or the mailbox may not be shown. */
export function mailboxPath(settings: MailboxSettings): string | null {
  return settings.smtpUrl === null && isMailboxShown(settings) ? MAILBOX_PATH : null;
}
