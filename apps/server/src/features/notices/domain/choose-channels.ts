import type { NotificationChannels } from "@paraphe/contracts";
import type { NoticeChannel } from "./notice.ts";

/** By what an account's owner can be reached now. */
export type Reach = {
  /** A number that a code came back from: no other is written to. */
  readonly verifiedPhone: string | null;
  /** Whether this service sends texts at all. */
  readonly smsOffered: boolean;
  /** Whether a browser of theirs subscribed. */
  readonly pushSubscribed: boolean;
};

/**
 * Gives the channels by which an account's owner is told what they may choose to hear of: those they chose that reach them, and mail when none
 * does, so that nothing is lost. Invitations, codes and messages about the account itself do not come by here: they are nobody's choice.
 */
export function chooseChannels(chosen: NotificationChannels, reach: Reach): readonly NoticeChannel[] {
  const channels: NoticeChannel[] = [];
  if (chosen.email) channels.push("email");
  if (chosen.sms && reach.smsOffered && reach.verifiedPhone) channels.push("sms");
  if (chosen.push && reach.pushSubscribed) channels.push("push");
  return channels.length > 0 ? channels : ["email"];
}
