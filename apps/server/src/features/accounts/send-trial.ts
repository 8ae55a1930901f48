import { failure, type NotificationTrial, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";
import { enqueueNotices, noticesForMember } from "../notices/public.ts";
import { throttleKey } from "./limit-requests.ts";
import { loadMember } from "./load-member.ts";

const TRIALS_PER_HOUR = 5;
const HOUR_S = 3_600;

/**
 * Sends a message by each channel its owner chose that reaches them, to see that it arrives; by mail when none does. Gives the channels it went by.
 * Errors: `too_many_requests` beyond five an hour; `mail_off`.
 */
export async function sendTrial(platform: Platform, userId: string): Promise<Result<NotificationTrial, Problem>> {
  return inTransaction<Result<NotificationTrial, Problem>>(platform.db, async (trx) => {
    const member = await loadMember(trx, userId);
    if (member === null) return failure(problem("session_expired"));
    const rule = { key: throttleKey("notification-trial", userId), limit: TRIALS_PER_HOUR, windowS: HOUR_S, now: platform.clock() };
    const { allowed, retryAfterS } = await hitThrottle(trx, rule);
    if (!allowed && platform.settings.rateLimits !== "off") return failure(problem("too_many_requests", { retryAfterS }));
    const link = `${platform.settings.publicUrl}/settings/notifications`;
    const notice = { kind: "trial", dedupeKey: `trial:${platform.newId()}`, content: { link } } as const;
    const notices = await noticesForMember(trx, platform, { member, notice });
    const mailed = notices.some(({ channel }) => channel === "email") ? checkMail(platform.settings) : success(null);
    if (!mailed.ok) return mailed;
    await enqueueNotices(trx, platform, notices);
    return success({ channels: notices.map(({ channel }) => channel) });
  });
}
