import type { NotificationsAnswer } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered } from "../../platform/sms/create-sms-transport.ts";
import { countWaiting } from "../notices/public.ts";
import { loadAccount } from "./store.ts";

/** Gives how a person wants to be told, and what waits for its moment; null without such an account. */
export async function readNotifications(platform: Platform, userId: string): Promise<NotificationsAnswer | null> {
  const account = await loadAccount(platform.db, userId);
  if (account === null) return null;
  const { count, notBefore } = await countWaiting(platform.db, userId);
  return {
    ...account.notifications,
    quiet_hours: account.rhythm.quietHours,
    daily_summary: account.rhythm.dailySummary,
    sms_offered: isSmsOffered(platform.settings),
    waiting: notBefore === null ? null : { count, until: notBefore.toISOString() },
  };
}
