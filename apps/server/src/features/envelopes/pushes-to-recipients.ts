import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { type MemberNotice, type Notice, pushesBeside } from "../notices/public.ts";
import { selectPushMembers } from "./member-store.ts";

/** One message to one recipient: `emailKey` says whose account it may be. */
export type ToRecipient = { readonly emailKey: string; readonly notice: MemberNotice };

/**
 * Gives the push messages to those recipients who have an account and chose them, beside what they are sent anyway. `except` is the account
 * of whoever is told of the same event as the sender.
 */
export async function pushesToRecipients(
  reader: Reader,
  platform: Pick<Platform, "clock">,
  { told, except = null }: { readonly told: readonly ToRecipient[]; readonly except?: string | null },
): Promise<readonly Notice[]> {
  const members = await selectPushMembers(
    reader,
    told.map(({ emailKey }) => emailKey),
  );
  const pairs = told.flatMap(({ emailKey, notice }) => {
    const member = members.get(emailKey);
    return member === undefined || member.id === except ? [] : [{ member, notice }];
  });
  return pushesBeside(reader, platform, pairs);
}
