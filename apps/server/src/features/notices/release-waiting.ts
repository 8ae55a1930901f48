import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueDeliveries } from "./enqueue-notice.ts";
import { releaseDue, selectSummaryDue } from "./waiting-store.ts";
import { writeSummary } from "./write-summary.ts";

/** So many at once: a morning after a long night is many short transactions, and none that holds them all. */
const BATCH = 1_000;

/** Lets go what waited for the morning, and writes the daily mails that are due. Run twice, it does nothing the second time. */
export async function releaseWaiting(platform: Platform): Promise<void> {
  while ((await releaseSome(platform)) === BATCH);
  const failures: unknown[] = [];
  for (let afterId: string | null = null; ; ) {
    const userIds: readonly string[] = await selectSummaryDue(platform.db, { now: platform.clock(), afterId, limit: BATCH });
    for (const userId of userIds) {
      // One mail that cannot be written keeps nobody else from theirs.
      await writeSummary(platform, userId).catch((error: unknown) => failures.push(error));
    }
    if (userIds.length < BATCH) break;
    afterId = userIds.at(-1) ?? null;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} daily summaries could not be written`);
}

function releaseSome(platform: Platform): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    const released = await releaseDue(trx, { now: platform.clock(), limit: BATCH });
    await enqueueDeliveries(trx, platform, released);
    return released.length;
  });
}
