import type { NotificationChannels } from "@paraphe/contracts";
import type { NoticeChannel } from "./notice.ts";

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
