import { ACCOUNT_NOTICE_DAYS } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Platform } from "../../platform/platform.ts";
import { deliverNotice } from "./deliver-notice.ts";
import { DELIVERY_RETRIES, GIVE_UP_S, staleAnswer } from "./domain/delivery-failure.ts";
import { isAwaitedLane, type Lane, LANES } from "./domain/departure.ts";
import { deleteFarewells, deleteOldAccountNotices, endForgotten } from "./waiting-store.ts";
import { deleteExpiredSubscriptions } from "./push-store.ts";
import { releaseWaiting } from "./waiting.ts";

const deliverPayload = z.strictObject({ notice_id: z.uuid() });

const KEPT_MS = ACCOUNT_NOTICE_DAYS * 24 * 3_600_000;
/** After its own job has given up at 48 hours, and the hourly retry. */
const FORGOTTEN_MS = (GIVE_UP_S + 2 * 3_600) * 1_000;

export function registerNoticeJobs(platform: Platform): void {
  for (const [lane, concurrency] of Object.entries(LANES) as [Lane, number][])
    platform.queue.handle(lane, { concurrency, ...DELIVERY_RETRIES }, async (payload) => {
      const { notice_id } = deliverPayload.parse(payload);
      await (isAwaitedLane(lane)
        ? deliverFirst(platform, notice_id)
        : deliverInQuiet(platform, notice_id));
    });
  platform.queue.schedule("notices.end-subscriptions", "*/10 * * * *", () =>
    endSubscriptions(platform),
  );
  // Also catches messages inserted exactly at 8 h.
  platform.queue.schedule("notices.release", "*/15 * * * *", () => releaseWaiting(platform));
  platform.queue.schedule("notices.sweep", "41 3 * * *", () => sweepNotices(platform));
}

async function deliverFirst(platform: Platform, noticeId: string): Promise<void> {
  const end = platform.precedence.begin();
  await deliverNotice(platform, noticeId).finally(end);
}

async function deliverInQuiet(platform: Platform, noticeId: string): Promise<void> {
  await platform.precedence.giveWay();
  await deliverNotice(platform, noticeId);
}

export async function endSubscriptions(platform: Pick<Platform, "db" | "clock">): Promise<void> {
  await deleteExpiredSubscriptions(platform.db, platform.clock());
}

/**
 * Deletes old account messages, and ends those whose job was lost, so that their sender sees it.
 */
export async function sweepNotices(platform: Platform): Promise<void> {
  const now = platform.clock();
  await endForgotten(platform.db, {
    dueBefore: new Date(now.getTime() - FORGOTTEN_MS),
    answer: staleAnswer(null),
    at: now,
  });
  await deleteFarewells(platform.db);
  await deleteOldAccountNotices(platform.db, new Date(now.getTime() - KEPT_MS));
}
