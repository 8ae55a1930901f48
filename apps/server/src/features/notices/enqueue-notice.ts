import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Notice } from "./domain/notice.ts";
import { DELIVER_NOTICE_JOB } from "./domain/delivery-rules.ts";
import { holdOf } from "./domain/rhythm.ts";
import { insertNotices, type NewNotice } from "./store.ts";
import { wrapContent } from "./wrapped-content.ts";

/** What the outbox rests on. */
type OutboxPlatform = Pick<Platform, "queue" | "clock" | "newId" | "secrets" | "settings">;

/**
 * Asks for a message in the caller's transaction: its row and its job exist if and only if that transaction commits.
 * The same `dedupeKey` twice is one message.
 */
export function enqueueNotice(trx: Transaction, platform: OutboxPlatform, notice: Notice): Promise<void> {
  return enqueueNotices(trx, platform, [notice]);
}

/** Asks for several messages, in two statements; the rest is `enqueueNotice`'s. One that is held gets its job when it may leave (`release-waiting.ts`). */
export async function enqueueNotices(trx: Transaction, platform: OutboxPlatform, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const added = await insertNotices(
    trx,
    notices.map((notice) => rowOf(platform, notice)),
  );
  await enqueueDeliveries(trx, platform, added);
}

/** Asks for the delivery of messages that are in the outbox. */
export async function enqueueDeliveries(trx: Transaction, platform: Pick<Platform, "queue">, ids: readonly string[]): Promise<void> {
  await platform.queue.enqueueAll(
    trx,
    DELIVER_NOTICE_JOB,
    ids.map((id) => ({ payload: { notice_id: id }, singletonKey: id })),
  );
}

function rowOf(platform: OutboxPlatform, notice: Notice): NewNotice {
  const id = notice.id ?? platform.newId();
  const now = platform.clock();
  return {
    id,
    dedupeKey: notice.dedupeKey,
    kind: notice.kind,
    channel: notice.channel,
    destination: notice.to.address,
    // RFC 5322 §3.6.4: chosen once, so that a retry after a lost answer is the same message to the receiver.
    messageId: `<${id}@${new URL(platform.settings.publicUrl).hostname}>`,
    envelopeId: notice.envelopeId ?? null,
    recipientId: notice.recipientId ?? null,
    userId: notice.userId ?? null,
    linkSha256: notice.linkSha256 ?? null,
    contentWrapped: wrapContent(platform.secrets, id, keptOf(notice)),
    createdAt: now,
    hold: holdOf(notice, now),
  };
}

function keptOf({ to: { fullName, mailInstead }, rhythm, content }: Notice): Parameters<typeof wrapContent>[2] {
  return { fullName, ...(mailInstead === undefined ? {} : { mailInstead }), ...(rhythm === undefined ? {} : { rhythm }), content };
}
