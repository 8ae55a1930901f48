import { isOwnMachine } from "../loopback.ts";
import type { Settings } from "../settings/settings.ts";

type MailboxSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms">;

/** Tells whether the local mailbox is in use and may be shown: on a person's own machine only, and never in production, whatever else is set. */
export function isMailboxShown(settings: MailboxSettings): boolean {
  return isOwnMachine(settings) && (settings.smtpUrl === null || settings.sms === null);
}
