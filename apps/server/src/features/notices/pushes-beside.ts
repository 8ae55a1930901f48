import type { Clock } from "../../platform/clock.ts";
import type { Reader } from "../../platform/database/database.ts";
import type { Notice } from "./domain/notice.ts";
import { pushedKey } from "./domain/pushed-key.ts";
import type { Member, MemberNotice } from "./notices-for-member.ts";
import { selectPushSubscribed } from "./push-store.ts";

/**
 * Gives the push messages beside those that go by mail or by SMS whatever anybody chose: an invitation to somebody who has an account.
 * None for whoever did not choose push, or has no browser that subscribed. The notice is the mail's own, its key too, but for its id.
 */
export async function pushesBeside(
  reader: Reader,
  platform: { readonly clock: Clock },
  told: readonly { readonly member: Member; readonly notice: MemberNotice }[],
): Promise<readonly Notice[]> {
  const willing = told.filter(({ member }) => member.channels.push);
  const userIds = willing.map(({ member }) => member.id);
  const subscribed = await selectPushSubscribed(reader, { userIds, now: platform.clock() });
  return willing
    .filter(({ member }) => subscribed.has(member.id))
    .map(({ member, notice: { id: _mails, ...notice } }) => {
      const to = { fullName: member.fullName, address: member.email };
      // The sender sees what became of the messages to a recipient, not that they have an account, nor on which channels.
      const own = { channel: "push", recipientId: null, linkSha256: null, userId: member.id, rhythm: member.rhythm } as const;
      return { ...notice, ...own, to, dedupeKey: pushedKey.of(notice.dedupeKey) } as Notice;
    });
}
