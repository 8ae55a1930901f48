import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { countMessages } from "./count-messages.ts";
import type { Notice } from "./domain/notice.ts";
import { senderOf } from "./domain/budgets.ts";
import type { OwnRefusal } from "./domain/delivery-failure.ts";
import { type Leaving, placeInLanes } from "./domain/lanes.ts";
import { holdOf } from "./domain/rhythm.ts";
import { countWaitingOf, insertNotices, type NewNotice, refuseNotices } from "./store.ts";
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

/**
 * Asks for several messages; the rest is `enqueueNotice`'s. Each is counted: one beyond what may be sent in a day is refused, and its row says so. One that is
 * held gets its job when it may leave (`release-waiting.ts`). Where no mail leaves, a mail is refused here: it is never shown as one that is about to.
 */
export async function enqueueNotices(trx: Transaction, platform: OutboxPlatform, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map((notice) => rowOf(platform, notice));
  const added = new Set(await insertNotices(trx, rows));
  const counted = rows.filter(({ id }) => added.has(id));
  const isOff = ({ channel }: NewNotice) => platform.settings.mailDisabled && channel === "email";
  const sendable = counted.filter((row) => !isOff(row));
  const refused = await countMessages(trx, platform, sendable);
  const overBudget = sendable.filter((_, index) => refused.has(index));
  await refuse(trx, { rows: counted.filter(isOff), serverAnswer: "mail_off", at: platform.clock() });
  await refuse(trx, { rows: overBudget, serverAnswer: "too_many", at: platform.clock() });
  const leaving = sendable.filter((row) => row.hold === null && !overBudget.includes(row));
  await enqueueDeliveries(trx, platform, leaving);
}

async function refuse(
  trx: Transaction,
  { rows, ...end }: { rows: readonly NewNotice[]; serverAnswer: OwnRefusal; at: Date },
): Promise<void> {
  if (rows.length > 0) await refuseNotices(trx, { ids: rows.map(({ id }) => id), ...end });
}

/** Asks for the delivery of messages that are in the outbox, in turn with those of other senders. */
export async function enqueueDeliveries(trx: Transaction, platform: Pick<Platform, "queue">, leaving: readonly Leaving[]): Promise<void> {
  if (leaving.length === 0) return;
  const waiting = await countWaitingOf(trx, [...new Set(leaving.map(({ senderId }) => senderId))]);
  for (const [lane, placed] of Map.groupBy(placeInLanes(leaving, waiting), (one) => one.lane))
    await platform.queue.enqueueAll(
      trx,
      lane,
      placed.map(({ id, priority }) => ({ payload: { notice_id: id }, singletonKey: id, priority })),
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
    senderId: senderOf(notice),
    linkSha256: notice.linkSha256 ?? null,
    contentWrapped: wrapContent(platform.secrets, id, keptOf(notice)),
    createdAt: now,
    hold: holdOf(notice, now),
  };
}

function keptOf({ to: { fullName, mailInstead }, rhythm, content }: Notice): Parameters<typeof wrapContent>[2] {
  return { fullName, ...(mailInstead === undefined ? {} : { mailInstead }), ...(rhythm === undefined ? {} : { rhythm }), content };
}
