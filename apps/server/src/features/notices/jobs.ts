import { ACCOUNT_NOTICE_DAYS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { deleteFarewells, deleteOldAccountNotices } from "./waiting-store.ts";
import { deleteExpiredSubscriptions } from "./push-store.ts";
import { createOutbox } from "./run-outbox.ts";
import { releaseWaiting } from "./waiting.ts";

const KEPT_MS = ACCOUNT_NOTICE_DAYS * 24 * 3_600_000;

/** Called before the queue starts. */
export function registerNoticeJobs(platform: Platform): void {
  platform.queue.attach(createOutbox(platform));
  platform.queue.schedule("notices.end-subscriptions", "*/10 * * * *", () =>
    endSubscriptions(platform),
  );
  // Also catches messages inserted exactly at 8 h.
  platform.queue.schedule("notices.release", "*/15 * * * *", () => releaseWaiting(platform));
  platform.queue.schedule("notices.sweep", "41 3 * * *", () => sweepNotices(platform));
}

export async function endSubscriptions(platform: Pick<Platform, "db" | "clock">): Promise<void> {
  await deleteExpiredSubscriptions(platform.db, platform.clock());
}

export async function sweepNotices(platform: Platform): Promise<void> {
  await deleteFarewells(platform.db);
  await deleteOldAccountNotices(platform.db, new Date(platform.clock().getTime() - KEPT_MS));
}
