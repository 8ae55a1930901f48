import { isOwnMachine } from "../addresses.ts";
import type { Settings } from "../settings/settings.ts";

type MailboxSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms">;

export const MAILBOX_PATH = "/boite-aux-lettres/";

/** On a developer's machine only, never in production. */
export function isMailboxShown(settings: MailboxSettings): boolean {
  return isOwnMachine(settings) && (settings.smtpUrl === null || settings.sms === null);
}

/** Null where mail leaves the service, or the mailbox is not shown. */
export function mailboxPath(settings: MailboxSettings): string | null {
  return settings.smtpUrl === null && isMailboxShown(settings) ? MAILBOX_PATH : null;
}
