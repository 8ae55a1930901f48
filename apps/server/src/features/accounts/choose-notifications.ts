import {
  failure,
  type NotificationChoice,
  type NotificationsRequest,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { reconsiderWaiting } from "../notices/public.ts";
import { type Account, lockAccount, updateNotifications } from "./store.ts";

/**
 * Keeps by which channels, and when, a person wants to be told; the schema has made sure there is a channel. What waited for a reason that they give
 * up leaves at once.
 * Errors: `validation` when texts are chosen and none can reach them.
 */
export async function chooseNotifications(
  platform: Platform,
  choice: { readonly userId: string; readonly wanted: NotificationsRequest },
): Promise<Result<NotificationChoice, Problem>> {
  const { userId } = choice;
  const { email, sms, push, quiet_hours, daily_summary } = choice.wanted;
  return inTransaction<Result<NotificationChoice, Problem>>(platform.db, async (trx) => {
    const account = await lockAccount(trx, userId);
    if (account === null || account.deactivatedAt !== null) return failure(problem("session_expired"));
    const fault = sms ? smsFault(platform, account) : null;
    if (fault !== null) return failure(problem("validation", { errors: { sms: [fault] } }));
    const channels = { email, sms, push };
    const rhythm = { quietHours: quiet_hours ?? account.rhythm.quietHours, dailySummary: daily_summary ?? account.rhythm.dailySummary };
    await updateNotifications(trx, { id: userId, channels, rhythm, now: platform.clock() });
    const verifiedPhone = account.phoneVerifiedAt === null ? null : account.phoneNumber;
    await reconsiderWaiting(trx, platform, { id: userId, email: account.email, verifiedPhone, channels, rhythm });
    return success({ ...channels, quiet_hours: rhythm.quietHours, daily_summary: rhythm.dailySummary });
  });
}

/** A choice made before numbers were verified, or before the number changed, may stay: mail goes meanwhile. */
function smsFault(platform: Platform, account: Account): string | null {
  if (!isSmsOffered(platform.settings)) return "Ce service n’envoie pas de SMS\u00a0: choisissez un autre canal";
  if (!account.phoneNumber) return "Ajoutez d’abord un numéro de téléphone à votre profil";
  if (textableNumber(platform.settings, account.phoneNumber) === null) return "Ce service n’envoie pas de SMS vers ce pays";
  const isNew = !account.notifications.sms;
  return isNew && account.phoneVerifiedAt === null ? "Vérifiez d’abord votre numéro de téléphone" : null;
}
