import { ACCOUNT_NOTICE_DAYS } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Platform } from "../../platform/platform.ts";
import { deliverNotice } from "./deliver-notice.ts";
import { DELIVERY_RETRIES, GIVE_UP_S, staleAnswer } from "./domain/delivery-failure.ts";
import { isAwaitedLane, type Lane, LANES } from "./domain/lanes.ts";
import { deleteFarewells, deleteOldAccountNotices, endForgotten } from "./waiting-store.ts";
import { deleteExpiredSubscriptions } from "./push-store.ts";
import { releaseWaiting } from "./waiting.ts";

const deliverPayload = z.strictObject({ notice_id: z.uuid() });

/** Long enough to answer somebody who says that no mail came. */
const KEPT_MS = ACCOUNT_NOTICE_DAYS * 24 * 3_600_000;
/** A message is given up after 48 hours by its own job, which comes back every hour. */
const FORGOTTEN_MS = (GIVE_UP_S + 2 * 3_600) * 1_000;

/** Registers the delivery of messages, and the end of old ones; called before the queue starts. */
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
  // Every quarter of an hour, for whatever is written at the very stroke of 8 h.
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

/** Forgets the browsers whose session is over. */
export async function endSubscriptions(platform: Pick<Platform, "db" | "clock">): Promise<void> {
  await deleteExpiredSubscriptions(platform.db, platform.clock());
}

/** Forgets whom an account's messages went to, once nobody will ask; and ends those whose job was lost, so that the sender sees it. */
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
