import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Member, reachingChannels } from "./notices-for-member.ts";
import { selectHeldMails, turnHeldMails, withdrawToldMails } from "./redirect-store.ts";
import { unwrapContent, wrapContent } from "./wrapped-content.ts";

/**
 * Turns the mails that wait for somebody who gave mail up into what reaches them now, a text or a push; what was told them that way already is withdrawn.
 * Gives false where nothing else reaches them: they stay mails then.
 */
export async function redirectMails(
  trx: Transaction,
  platform: Pick<Platform, "settings" | "clock" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone">,
): Promise<boolean> {
  const [channel] = await reachingChannels(trx, platform, member);
  if (channel === undefined || channel === "email") return false;
  await withdrawToldMails(trx, { userId: member.id, now: platform.clock() });
  const mails = await selectHeldMails(trx, member.id);
  const turned = mails.flatMap(({ id, contentWrapped }) => {
    const kept = readable(() => unwrapContent(platform.secrets, id, contentWrapped));
    if (kept === null) return [];
    // A text that the gateway does not take is told by mail after all, as a push is that no browser takes.
    const instead = channel === "sms" ? { mailInstead: member.email } : {};
    return [{ id, contentWrapped: wrapContent(platform.secrets, id, { ...kept, ...instead }) }];
  });
  await turnHeldMails(trx, { channel, destination: channel === "sms" ? (member.verifiedPhone ?? "") : member.email, turned });
  return true;
}

/** One that cannot be read stays as it is: whoever writes the daily mail sets it apart. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
