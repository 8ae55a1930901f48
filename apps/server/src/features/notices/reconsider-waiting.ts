import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { isQuiet } from "./domain/quiet-hours.ts";
import { enqueueDeliveries } from "./enqueue-notice.ts";
import type { Member } from "./notices-for-member.ts";
import { redirectMails } from "./redirect-mails.ts";
import { holdSingly, releaseOwn } from "./waiting-store.ts";

/**
 * Sends what waited for a reason that its reader has given up: each message for itself; in quiet hours that are kept, in the morning. The daily mail is
 * given up with mail: what it would have said goes by the channels of now.
 */
export async function reconsiderWaiting(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock" | "settings" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone" | "rhythm">,
): Promise<void> {
  const { id: userId, rhythm } = member;
  const now = platform.clock();
  const waits = rhythm.quietHours && isQuiet(now);
  const isRedirected = !member.channels.email && (await redirectMails(trx, platform, member));
  const keepsDaily = rhythm.dailySummary && !isRedirected;
  if (!keepsDaily && waits) await holdSingly(trx, userId);
  const listed = keepsDaily || waits ? [] : await releaseOwn(trx, { userId, reason: "summary", now });
  const quiet = rhythm.quietHours ? [] : await releaseOwn(trx, { userId, reason: "quiet", now });
  await enqueueDeliveries(trx, platform, [...listed, ...quiet]);
}
