import type { NotificationChannels } from "@paraphe/contracts";
import type { Clock } from "../../platform/clock.ts";
import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { textableNumber } from "../../platform/sms/create-sms-transport.ts";
import {
  type Notice,
  type NoticeChannel,
  type NoticeRhythm,
  pushedKey,
  type PushKind,
} from "./domain/notice.ts";
import { selectPushSubscribed } from "./push-store.ts";

/** Somebody with an account, as notices need them. */
export type Member = {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  /** The number they proved to be theirs. */
  readonly verifiedPhone: string | null;
  readonly channels: NotificationChannels;
  readonly rhythm: NoticeRhythm;
};

/** What an account's owner may choose how to hear of. `dedupeKey` names the event and the person: each channel makes its own of it. */
export type MemberNotice = {
  readonly [K in PushKind]: Omit<Extract<Notice, { kind: K }>, "channel" | "to" | "userId">;
}[PushKind];

/** Gives the messages of one event to one account's owner, ready to be enqueued: one on each channel they chose that reaches them, a mail when none does; none for an erased account. */
export async function noticesForMember(
  reader: Reader,
  platform: Pick<Platform, "settings" | "clock">,
  told: { readonly member: Member; readonly notice: MemberNotice },
): Promise<readonly Notice[]> {
  const { member, notice } = told;
  // An erased account has no address, and nobody behind it.
  if (member.email === "") return [];
  const channels = await reachingChannels(reader, platform, member);
  const notices = channels.map((channel, index) => ({
    ...notice,
    channel,
    dedupeKey: keyOf(notice.dedupeKey, channel, index),
    to: { fullName: member.fullName, ...addressOf(member, channel, index) },
    userId: member.id,
    rhythm: member.rhythm,
  }));
  // Each is its event's notice on another channel: the kind and its content are as they came.
  return notices as readonly Notice[];
}

/** Gives the channels, of those an account's owner chose, that reach them now. */
export async function reachingChannels(
  reader: Reader,
  platform: Pick<Platform, "settings" | "clock">,
  member: Pick<Member, "id" | "channels" | "verifiedPhone">,
): Promise<readonly NoticeChannel[]> {
  const subscribed = await selectPushSubscribed(reader, {
    userIds: member.channels.push ? [member.id] : [],
    now: platform.clock(),
  });
  return chooseChannels(member.channels, {
    verifiedPhone: textableNumber(platform.settings, member.verifiedPhone),
    pushSubscribed: subscribed.has(member.id),
  });
}

/** A text that is not the second way goes by mail when the gateway does not take it. */
function addressOf(
  member: Member,
  channel: NoticeChannel,
  index: number,
): Pick<Notice["to"], "address" | "mailInstead"> {
  if (channel !== "sms") return { address: member.email };
  return {
    address: member.verifiedPhone ?? "",
    ...(index === 0 ? { mailInstead: member.email } : {}),
  };
}

/** The first message bears the event's own key; a push never does, so that the mail that follows a failed one can. */
function keyOf(eventKey: string, channel: NoticeChannel, index: number): string {
  if (channel === "push") return pushedKey.of(eventKey);
  return index === 0 ? eventKey : `${eventKey}:${channel}`;
}

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
      const own = {
        channel: "push",
        recipientId: null,
        linkSha256: null,
        userId: member.id,
        rhythm: member.rhythm,
      } as const;
      return { ...notice, ...own, to, dedupeKey: pushedKey.of(notice.dedupeKey) } as Notice;
    });
}

/** By what an account's owner can be reached now. */
export type Reach = {
  /** A number that a code came back from, and that this service sends texts to: no other is written to. */
  readonly verifiedPhone: string | null;
  /** Whether a browser of theirs subscribed. */
  readonly pushSubscribed: boolean;
};

/**
 * Gives the channels by which an account's owner is told what they may choose to hear of: those they chose that reach them, and mail when none
 * does, so that nothing is lost. Invitations, codes and messages about the account itself do not come by here: they are nobody's choice.
 */
export function chooseChannels(
  chosen: NotificationChannels,
  reach: Reach,
): readonly NoticeChannel[] {
  const channels: NoticeChannel[] = [];
  if (chosen.email) channels.push("email");
  if (chosen.sms && reach.verifiedPhone) channels.push("sms");
  if (chosen.push && reach.pushSubscribed) channels.push("push");
  return channels.length > 0 ? channels : ["email"];
}
