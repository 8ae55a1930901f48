import type { NotificationChannels } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import type { Clock, Platform } from "../../platform/platform.ts";
import { textableNumber } from "../../platform/sms/create-sms-transport.ts";
import {
  type Notice,
  type NoticeChannel,
  type NoticeRhythm,
  pushedKey,
  type PushKind,
} from "./domain/notice.ts";
import { selectPushSubscribed } from "./store.ts";

export type Member = {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly verifiedPhone: string | null;
  readonly channels: NotificationChannels;
  readonly rhythm: NoticeRhythm;
};

/** Kinds whose channels the member chooses. */
export type MemberNotice = {
  readonly [K in PushKind]: Omit<Extract<Notice, { kind: K }>, "channel" | "to" | "userId">;
}[PushKind];

/** Uses each chosen channel that reaches the owner, else mail. */
export async function noticesForMember(
  reader: Reader,
  platform: Pick<Platform, "settings" | "clock">,
  told: { readonly member: Member; readonly notice: MemberNotice },
): Promise<readonly Notice[]> {
  const { member, notice } = told;
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
  return notices as readonly Notice[];
}

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

/** Only the first text falls back to mail. */
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

/** A push leaves the event's key to the mail that may replace it. */
function keyOf(eventKey: string, channel: NoticeChannel, index: number): string {
  if (channel === "push") return pushedKey.of(eventKey);
  return index === 0 ? eventKey : `${eventKey}:${channel}`;
}

/** Adds pushes to the mail or text, for owners who chose push and have a subscription. */
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
      // The recipient is left out: senders must not see who has an account.
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

export type Reach = {
  /** Null also when no text can be sent to it. */
  readonly verifiedPhone: string | null;
  readonly pushSubscribed: boolean;
};

/**
 * Gives the channels that reach the owner, else mail. Invitations, codes and account messages do
 * not depend on it.
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
