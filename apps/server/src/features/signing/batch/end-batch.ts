import type { Transaction } from "../../../platform/database/database.ts";
import type { Platform } from "../../../platform/platform.ts";
import { loadMember } from "../../accounts/public.ts";
import { enqueueNotices, noticesForMember } from "../../notices/public.ts";
import { type EndedBatch, finishBatch } from "./run-store.ts";

/**
 * Ends a batch none of whose files waits any more, and asks for the message that tells its owner; says whether it has ended. The end and the
 * message are one transaction: whoever dies, or comes second, tells nothing. A batch that its owner stopped is told of by nobody: they know.
 */
export async function endBatch(trx: Transaction, platform: Platform, batchId: string): Promise<boolean> {
  const ended = await finishBatch(trx, batchId, platform.clock());
  if (ended === null) return false;
  if (ended.cancelledAt === null) await tellOwner(trx, platform, ended);
  return true;
}

async function tellOwner(trx: Transaction, platform: Platform, { id, ownerId, title, finishedAt, counts }: EndedBatch): Promise<void> {
  const member = await loadMember(trx, ownerId);
  if (member === null) return;
  const endedAt = finishedAt.toISOString();
  const notice = {
    kind: "batch_ended",
    // Files that are tried again end the batch another time: another message.
    dedupeKey: `batch_ended:${id}:${endedAt}`,
    content: {
      batchTitle: title,
      total: counts.total,
      done: counts.done,
      failed: counts.failed,
      endedAt,
      link: `${platform.settings.publicUrl}/signature/bulk-same?lot=${id}`,
    },
  } as const;
  await enqueueNotices(trx, platform, await noticesForMember(trx, platform, { member, notice }));
}
